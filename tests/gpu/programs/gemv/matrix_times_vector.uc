# f32 as it is; the long operand is A, and N is 1.
target sm_90a
input a: f32[640, 30000]
input x: f32[30000, 1]
y = gemm(a, x).backend(cuda).math(f32).split({1, 9})
return y
