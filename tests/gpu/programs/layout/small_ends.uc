target sm_90a
input x: f32[3, 4000, 2]
input h: f16[2, 5, 999]
input c: i8[7, 3, 222]
y = to(permute(x, [0, 2, 1]), row)
z = to(permute(h, [0, 2, 1]), row)
a = to(permute(c, [0, 2, 1]), i8, row)
b = to(permute(c, [2, 1, 0]), i8, row)
return y, z, a, b
