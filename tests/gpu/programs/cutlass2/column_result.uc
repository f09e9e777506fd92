# M contiguous in the result: computed as its transpose, with a residual and a bias along N.
target sm_90a
precision f16
input a: f16[136, 64]
input b: f16[64, 72]
input v: f32[72]
c = gemm(a, b).backend(cutlass2) >> bias(v) >> to(f16, col)
return c
