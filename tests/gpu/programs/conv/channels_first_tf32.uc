# All in PyTorch's own layout: single elements of the input, and the transpose of the product.
target sm_90a
precision tf32
input x: f32[3, 20, 13, 16]
param W: f32[24, 20, 3, 3]
param b: f32[24]
input r: f32[3, 24, 13, 16]
y = conv2d(x, W, padding=1).algorithm(implicit_gemm) >> bias(b) >> add(r) >> relu()
return y
