target sm_90a
input x: f16[2, 64, 14, 14] @nhwc
param W: f16[128, 64, 1, 1] @nhwc
y = conv2d(x, W) >> relu() >> to(f16, nhwc)
return y
