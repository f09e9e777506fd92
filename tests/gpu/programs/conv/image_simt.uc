target sm_90a
input x: f32[2, 19, 12, 11] @nhwc
param W: f32[35, 19, 3, 2] @nhwc
y = conv2d(x, W, padding=1).backend(simt) >> mul(0.5) >> to(f32, nhwc)
return y
