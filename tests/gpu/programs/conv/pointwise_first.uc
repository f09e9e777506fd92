# A filter of one element over images with their channels first: a product of matrices an image.
target sm_90a
precision tf32
input x: f32[3, 48, 10, 12]
param W: f32[64, 48, 1, 1]
param b: f32[64]
input r: f32[3, 64, 10, 12]
y = conv2d(x, W) >> bias(b) >> residual(r) >> relu()
return y
