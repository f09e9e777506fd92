target sm_90a
precision f16
input x: f32[4, 3, 50, 30]
y = to(x, nhwc)
z = to(relu(y), row)
h = to(x, f16, nhwc)
b = to(h, row)
return y, z, h, b
