target sm_90a
precision tf32
input b: f32[8, 512, 512]
input x: f32[8, 512, 256]
input y: f32[8, 256, 512]
t = gemm(x, y)
z = t + b
return z
