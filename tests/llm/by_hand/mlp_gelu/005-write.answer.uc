target sm_90a
precision f16
input x: f32[2048, 4096]
param up_weight: f32[6144, 4096] = "up.weight"
param up_bias: f32[6144] = "up.bias"

xh = to(x, f16)
y = linear(xh, prepack(up_weight, f16)) >> bias(up_bias) >> gelu() >> to(f32)
return y
