target sm_90a
input x: f16[2, 32, 9, 8] @nhwc
param W: f16[32, 16, 1, 1]
y = conv_transpose2d(x, W) >> to(f16, nhwc)
return y
