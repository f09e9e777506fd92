target sm_90a
precision f16
input x: f32[6, 20, 9]
input y: f32[6, 3, 9]
input z: f16[6, 20, 9]
a = concat(x, y, x, dim=1)
b = concat(x, z, dim=2)
c = concat(x, relu(x), neg(x)) >> mul(2.0)
d = concat(transpose(x), transpose(x), dim=-1)
return a, b, c, d
