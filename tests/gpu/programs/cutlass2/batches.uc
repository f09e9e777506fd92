# A batch, a batch with one B for all, and one with a residual whose batches are broadcast.
target sm_90a
input a: f16[5, 72, 40]
input b: f16[5, 40, 88]
input w: f16[1, 40, 88]
input r: f32[1, 72, 88]
c = gemm(a, b).backend(cutlass2) >> to(f16)
d = gemm(a, w).backend(cutlass2) >> add(r) >> to(f32)
return c, d
