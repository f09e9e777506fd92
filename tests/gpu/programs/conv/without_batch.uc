target sm_90a
input x: f16[16, 12, 12]
param W: f16[24, 16, 3, 3]
y = conv2d(x, W, padding=1).algorithm(implicit_gemm) >> relu()
return y
