target sm_90a
input x: f32[12, 40, 20]
t = permute(x, [0, 2, 1])
a = softmax(t)
b = sum(t, dim=1)
c = softmax(slice(x, dim=2, start=3, end=19))
return a, b, c
