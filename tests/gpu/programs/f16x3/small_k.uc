target sm_90a
input a: f32[300, 3]
input b: f32[3, 200]
c = gemm(a, b).math(f16x3)
return c
