target sm_90a
precision f16
input x: f32[5, 130, 7, 7]
y = to(x, nhwc)
z = to(y, f16, row)
return y, z
