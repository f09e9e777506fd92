# Windows that TMA reads; three tiles of pixels, the last one beyond the last image.
target sm_90a
input x: f16[3, 128, 11, 9] @nhwc
param W: f16[96, 128, 3, 3] @nhwc
param b: f16[96]
input r: f16[3, 96, 11, 9] @nhwc
y = conv2d(x, W, padding=1).backend(cutlass3) >> bias(b) >> residual(r) >> relu() >> to(f16, nhwc)
return y
