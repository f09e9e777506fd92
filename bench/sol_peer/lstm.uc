target sm_90a
precision tf32
input x: f32[4, 32, 128]
input w: f32[1024, 128]
input u: f32[1024, 256]
input b: f32[1024]
input d: f32[1024]
input w1: f32[1024, 256]
input u1: f32[1024, 256]
input b1: f32[1024]
input d1: f32[1024]
z, h, c = lstm(x, w, u, b, d, w1, u1, b1, d1, layers=2, batch_first=true)
return z
