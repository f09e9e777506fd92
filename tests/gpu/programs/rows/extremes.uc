target sm_90a
input x: f32[33, 129]
input i: i8[20, 300]
a = max(x, dim=1)
b = min(x, dim=0)
c = argmax(x, dim=1)
d = argmin(x, dim=0, keepdim=true)
e = argmax(i, dim=1)
f = argmin(i, dim=[0, 1])
g = argmax(i, dim=1).split(4)
return a, b, c, d, e, f, g
