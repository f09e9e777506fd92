target sm_90a
precision tf32
input x: f32[2, 1, 21, 21] @nhwc
param W: f32[32, 1, 5, 5] @nhwc
y = conv2d(x, W, padding=2).algorithm(implicit_gemm)
return y
