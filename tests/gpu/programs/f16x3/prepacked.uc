# the weight is split once, when it is loaded
target sm_90a
input x: f32[70, 200]
param W: f32[96, 200]
param V: f32[96, 64]
h = linear(x, prepack(W)).math(f16x3) >> relu()
y = gemm(h, prepack(V)).math(f16x3)
return y
