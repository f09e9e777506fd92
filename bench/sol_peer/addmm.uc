target sm_90a
precision tf32
input b: f32[1024]
input x: f32[1024, 2048]
input y: f32[2048, 1024]
t = gemm(x, y)
z = t + b
return z
