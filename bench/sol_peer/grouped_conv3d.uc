target sm_90a
precision tf32
input x: f32[2, 32, 16, 32, 32]
input W: f32[64, 8, 3, 3, 3]
z = conv3d(x, W, groups=4)
return z
