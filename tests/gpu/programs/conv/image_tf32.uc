target sm_90a
precision tf32
input x: f32[4, 48, 14, 14] @nhwc
param W: f32[96, 48, 3, 3] @nhwc
param b: f32[96]
y = conv2d(x, W, padding=1) >> bias(b) >> relu() >> to(f32, nhwc)
return y
