target sm_90a
input x: f32[2, 20, 5, 6, 7]
y = to(x, ndhwc)
z = to(relu(y), row)
return y, z
