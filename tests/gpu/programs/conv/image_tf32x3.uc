target sm_90a
input x: f32[2, 32, 14, 14] @nhwc
param W: f32[64, 32, 3, 3] @nhwc
y = conv2d(x, W, padding=same).math(tf32x3) >> to(f32, nhwc)
return y
