target sm_90a
precision f16
input x: f32[6, 5, 2, 3, 14, 10]
y = to(permute(x, [0, 1, 4, 2, 5, 3]), row)
z = to(permute(x, [5, 4, 3, 2, 1, 0]), row)
a = to(permute(x, [3, 1, 4, 2, 5, 0]), f16, row)
return y, z, a
