# Channels last in and out, bias, ReLU and a residual in the epilogue.
target sm_90a
input x: f16[3, 32, 17, 15] @nhwc
param W: f16[48, 32, 3, 3]
param b: f16[48]
input r: f16[3, 48, 17, 15] @nhwc
y = conv2d(x, prepack(to(W, f16, nhwc)), padding=1) >> bias(b) >> residual(r) >> relu() >> to(f16, nhwc)
return y
