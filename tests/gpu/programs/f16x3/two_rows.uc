target sm_90a
input a: f32[2, 4100]
input b: f32[4100, 256]
c = gemm(a, b).math(f16x3)
return c
