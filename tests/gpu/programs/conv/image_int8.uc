target sm_90a
input x: i8[2, 32, 10, 10] @nhwc
param W: i8[32, 32, 3, 3] @nhwc
y = conv2d(x, W, padding=1).algorithm(implicit_gemm) >> to(f32, nhwc)
return y
