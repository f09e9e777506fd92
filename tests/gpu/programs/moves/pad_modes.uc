target sm_90a
precision f16
input x: f32[2, 3, 10, 12]
a = pad(x, [3, 2, 1, 4], reflect)
b = pad(x, [3, 2, 1, 4], replicate)
c = pad(x, [3, 2, 1, 4], circular) >> add(1.0)
d = pad(relu(x), [0, 2, 1, 0], reflect)
e = pad(x, [3, 2, 1, 4, 1, 1], replicate)
return a, b, c, d, e
