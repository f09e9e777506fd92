target sm_90a
precision f16
input x: f8e4m3[1, 2048]
input w: f8e4m3[4096, 2048]
input s: f32[4096]
y = linear(x, w).backend(cuda) >> mul(s) >> to(f16)
return y
