target sm_90a
precision f16
input x: f32[2, 3, 10, 12]
input h: f16[4, 64]
a = pad(x, [1, 2], value=-1.5)
b = pad(x, [1, 1, 2, 2])
c = pad(x, [0, 1, -2, 3, 1, 0, 0, 2], value=4.0) >> relu()
d = pad(x, [-3, -2, -1, 0])
e = pad(h, [8, 0, 0, 3], value=1.0)
return a, b, c, d, e
