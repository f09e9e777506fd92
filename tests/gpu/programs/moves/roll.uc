target sm_90a
precision f16
input x: f32[4, 9, 16]
a = roll(x, 3, 1)
b = roll(x, [1, -2], [0, 2]) >> relu()
c = roll(x, [-3, -3], [1, 2])
return a, b, c
