target sm_90a
input x: f32[3, 96, 14, 12]
y = to(x, nhwc)
z = to(relu(y), row)
return y, z
