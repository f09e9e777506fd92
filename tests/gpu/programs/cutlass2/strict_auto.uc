# f32 as it is, the fastest way.
target sm_90a
precision strict
input a: f32[300, 257]
input b: f32[257, 129]
c = gemm(a, b) >> tanh()
return c
