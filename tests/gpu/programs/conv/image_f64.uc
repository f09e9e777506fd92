target sm_90a
input x: f64[2, 8, 9, 10] @nhwc
param W: f64[12, 8, 3, 3] @nhwc
y = conv2d(x, W, padding=1).algorithm(implicit_gemm)
return y
