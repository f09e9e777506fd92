# The program of test_forms.py; fake_program.cpp stands in for its library.
target sm_90a
precision f16
input x: f32[64, 64]
param W: f32[128, 64] = "net.up.weight"
param b: f32[128] = "shift"

xh = to(x, f16)
y = linear(xh, prepack(W, f16)) >> bias(b) >> to(f32)
return y
