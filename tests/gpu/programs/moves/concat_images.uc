target sm_90a
precision f16
input x: f32[2, 24, 7, 6] @nhwc
input y: f32[2, 40, 7, 6]
input b: f32[64, 1, 1]
a = concat(x, y, dim=1) >> add(b) >> relu()
c = concat(y, x, dim=1)
d = concat(y, x, dim=1) >> to(f16, nhwc)
return a, c, d
