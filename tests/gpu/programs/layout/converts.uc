target sm_90a
precision f16
input x: f32[3, 80, 20, 20]
a = to(x, f16, nhwc)
b = to(a, f32, row)
c = to(x, i8, nhwc)
return a, b, c
