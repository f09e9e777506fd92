target sm_90a
input x: f32[9, 20, 33]
y = l2_normalize(x, dim=1)
z = l1_normalize(x, dim=[1, 2])
return y, z
