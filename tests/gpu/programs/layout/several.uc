target sm_90a
precision f16
input x: f32[2, 40, 12, 10]
input z: f32[50, 60]
a, b = to(x, z, f16, col)
return a, b
