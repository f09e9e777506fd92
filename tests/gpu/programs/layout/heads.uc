target sm_90a
input x: f16[2, 50, 4, 24]
y = to(permute(x, [0, 2, 1, 3]), row)
z = to(permute(x, [0, 2, 3, 1]), row)
return y, z
