# K = 147 by single elements, through registers.
target sm_90a
input x: f16[2, 3, 40, 36] @nhwc
param W: f16[64, 3, 7, 7] @nhwc
y = conv2d(x, W, stride=2, padding=3).algorithm(implicit_gemm) >> relu() >> to(f16, nhwc)
return y
