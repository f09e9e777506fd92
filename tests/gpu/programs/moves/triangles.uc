target sm_90a
precision f16
input x: f32[3, 40, 37]
a = tril(x)
b = triu(x * 2.0, 3)
c = where(index(x, 1) < 20, x, 0)
d = map(x * (index(x, -1) == index(x, 0)))
e = triu(transpose(x), -5)
return a, b, c, d, e
