# A factor for each channel of each image, and channels first of 16 bits.
target sm_90a
input x: f16[3, 64, 10, 7] @nhwc
param W: f16[48, 64, 3, 3] @nhwc
input s: f16[3, 48, 1, 1]
y = conv2d(x, W, padding=1).backend(cutlass3) >> mul(s) >> to(f16, row)
return y
