target sm_90a
precision f16
input x: f32[2, 5, 8, 8]
input y: f32[2, 8, 8, 8] @nhwc
a = concat(x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, dim=1)
return a
