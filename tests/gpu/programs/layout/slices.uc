target sm_90a
input x: f32[3, 40, 20, 19]
input h: f16[100, 101]
y = to(slice(x, dim=3, start=1, end=18), nhwc)
z = to(slice(x, dim=1, start=3, end=37), nhwc)
s = to(slice(x, dim=2, start=1, end=19, step=2), nhwc)
t = to(transpose(slice(h, dim=1, start=1, end=98)), row)
u = to(transpose(slice(h, dim=0, start=5, end=61)), row)
return y, z, s, t, u
