target sm_90a
input x: f16[1, 16, 3, 4, 5] @ndhwc
param W: f16[16, 8, 3, 3, 3]
y = conv_transpose3d(x, W, stride=2, padding=1, output_padding=1).algorithm(implicit_gemm) >> to(f16, ndhwc)
return y
