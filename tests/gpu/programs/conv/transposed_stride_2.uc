# Four classes of results, with 4, 4, 4 and 4 taps.
target sm_90a
input x: f16[2, 32, 9, 8] @nhwc
param W: f16[32, 24, 4, 4]
param b: f16[24]
y = conv_transpose2d(x, W, stride=2, padding=1) >> bias(b) >> relu() >> to(f16, nhwc)
return y
