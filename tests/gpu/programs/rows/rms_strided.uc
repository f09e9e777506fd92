target sm_90a
input x: f32[2, 64, 12, 20]
y = rms_norm(x, dim=1, eps=1e-5).passes({1, 2}).threads({128, 256})
return y
