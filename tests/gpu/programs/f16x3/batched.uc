target sm_90a
input a: f32[5, 70, 200]
input b: f32[5, 200, 72]
c = gemm(a, b).math(f16x3)
return c
