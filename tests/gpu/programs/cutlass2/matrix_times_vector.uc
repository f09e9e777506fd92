target sm_90a
input a: f16[300, 520]
input b: f16[520, 1]
c = gemm(a, b).backend(cutlass2) >> to(f32)
return c
