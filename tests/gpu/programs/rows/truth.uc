target sm_90a
input x: f32[33, 40]
a = any(x > 2, dim=1)
b = all(x > -1, dim=0)
c = any(x, dim=[0, 1])
return a, b, c
