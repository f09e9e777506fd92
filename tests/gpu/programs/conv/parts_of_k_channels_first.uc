target sm_90a
precision tf32
input x: f32[2, 64, 7, 7] @nhwc
param W: f32[32, 64, 3, 3] @nhwc
param b: f32[32]
y = conv2d(x, W, padding=1).backend(cutlass2).tile(64x64x32).split(4) >> bias(b)
y2 = to(y, nchw)
return y2
