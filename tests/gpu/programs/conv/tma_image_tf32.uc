target sm_90a
precision tf32
input x: f32[2, 64, 14, 14] @nhwc
param W: f32[64, 64, 3, 3] @nhwc
y = conv2d(x, W, padding=1).backend(cutlass3) >> to(f32, nhwc)
return y
