target sm_90a
input x: f32[200, 333]
input h: f16[129, 256]
y = to(x, col)
z = to(transpose(x), row)
a = to(transpose(h), row) >> relu()
return y, z, a
