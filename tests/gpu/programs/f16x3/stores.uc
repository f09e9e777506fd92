target sm_90a
precision f16
input x: f32[128, 256]
param W: f32[128, 256]
param b: f32[128]
u, y = linear(x, W).math(f16x3) >> bias(b) >> store(f16) >> silu()
return u, y
