target sm_90a
precision tf32
input x: f32[1024, 2048]
input y: f32[2048, 1]
z = gemm(x, y)
return z
