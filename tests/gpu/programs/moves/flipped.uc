target sm_90a
precision f16
input x: f32[4, 9, 16]
a = to(flip(x, 2), row)
b = to(flip(x, [0, -1]), row) >> relu()
c = add(flip(x, 1), x)
return a, b, c
