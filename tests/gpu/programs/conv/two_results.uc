# The convolution itself in f32, and its ReLU in f16, from one launch.
target sm_90a
input x: f16[2, 16, 8, 8] @nhwc
param W: f16[32, 16, 3, 3] @nhwc
a, y = conv2d(x, W, padding=1) >> store(f32) >> relu() >> to(f16, nhwc)
return a, y
