target sm_90a
precision tf32
input x: f32[512, 64]
input y: f32[512, 96]
input W: f32[128, 6144]
input b: f32[128]
p = reshape(x, [512, 64, 1]) * reshape(y, [512, 1, 96])
t = linear(reshape(p, [512, 6144]), W)
z = t + b
return z
