target sm_90a
precision tf32
input x: f32[2, 16, 33]
param W: f32[16, 8, 8]
y = conv_transpose1d(x, W, stride=4, padding=2).algorithm(implicit_gemm) >> leaky_relu(0.2)
return y
