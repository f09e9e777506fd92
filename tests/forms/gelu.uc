# The program of gelu_problem.py, as exact as f32.
target sm_90a
precision strict
input x: f32[512, 1024]
param W: f32[2048, 1024] = "up.weight"
param b: f32[2048] = "up.bias"

y = linear(x, prepack(W, f32)) >> bias(b) >> gelu()
return y
