target sm_90a
precision tf32
input x: f32[4, 256, 28, 28]
param W: f32[256, 1, 3, 3]
y = conv2d(x, W, padding=1, groups=256)
return y
