target sm_90a
input x: f16[2, 16, 11, 12] @nhwc
param W: f16[16, 32, 3, 3] @nhwc
y = conv_transpose2d(x, W, padding=1).algorithm(implicit_gemm) >> to(f16, nhwc)
return y
