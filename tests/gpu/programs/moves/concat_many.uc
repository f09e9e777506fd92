target sm_90a
precision f16
input x: f32[3, 5, 8, 8]
input y: f32[3, 8, 8, 8]
a = concat(x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, dim=1)
b = concat(x, y, x, y, x, dim=1) >> to(f16)
return a, b
