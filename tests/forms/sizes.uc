# The program of test_dispatch.py: compiled at several sizes of m.
target sm_90a
precision f16
dim m = 1..4096
input x: f16[m, 64]
param W: f32[128, 64] = "up.weight"
param b: f32[128] = "up.bias"

y = linear(x, prepack(W, f16)) >> bias(b) >> relu() >> to(f32)
return y
