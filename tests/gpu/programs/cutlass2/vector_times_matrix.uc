target sm_90a
precision strict
input a: f32[1, 500]
input b: f32[500, 300]
c = gemm(a, b)
return c
