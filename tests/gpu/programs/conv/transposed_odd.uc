# Stride 3 over a filter of 2: some results have no tap; odd extents; dilation.
target sm_90a
precision tf32
input x: f32[1, 12, 5, 6]
param W: f32[12, 7, 2, 3]
param b: f32[14]
y = conv_transpose2d(x, W, stride=[3, 2], padding=[0, 2], output_padding=[1, 1], dilation=[2, 2], groups=2).algorithm(implicit_gemm) >> bias(b)
return y
