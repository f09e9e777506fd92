target sm_90a
input x: f16[2, 96, 14, 14] @nhwc
param W: f16[48, 32, 3, 3] @nhwc
param b: f16[48]
y = conv2d(x, W, padding=1, groups=3).algorithm(implicit_gemm) >> bias(b) >> to(f16, nhwc)
return y
