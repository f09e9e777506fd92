target sm_90a
input x: f16[2, 72, 24, 18]
y = to(x, nhwc)
z = to(y, f32, row)
return y, z
