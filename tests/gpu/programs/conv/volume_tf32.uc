target sm_90a
precision tf32
input x: f32[1, 6, 5, 9, 8]
param W: f32[10, 3, 3, 5, 2]
y = conv3d(x, W, padding=[1, 2, 0], groups=2).algorithm(implicit_gemm) >> mul(2)
return y
