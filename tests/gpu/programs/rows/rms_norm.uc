target sm_90a
input x: f16[6, 512]
param g: f16[512]
input z: f32[2, 64, 12, 20]
a = rms_norm(x, g)
b = rms_norm(z, dim=1)
return a, b
