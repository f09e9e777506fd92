# Stride, dilation and padding that differ by dimension; the result with its channels first.
target sm_90a
input x: bf16[2, 64, 30, 23] @nhwc
param W: bf16[64, 64, 3, 5] @nhwc
param b: bf16[64]
y = conv2d(x, W, stride=[2, 1], padding=[2, 3], dilation=[2, 1]) >> bias(b) >> gelu() >> to(bf16, nchw)
return y
