target sm_90a
precision tf32
input x: f32[2, 24, 77]
param W: f32[32, 24, 3]
y = conv1d(x, W, dilation=4, padding=same).algorithm(implicit_gemm) >> tanh()
return y
