target sm_90a
input x: f32[3, 67, 7, 11]
y = to(x, nhwc)
z = to(mul(y, 2.0), row)
return y, z
