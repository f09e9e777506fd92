# From f32 to f8 and on: conversions round to nearest, beyond the largest number is NaN.
target sm_90a
precision f8
input x: f32[512, 1024]
param W: f32[768, 1024]
param V: f32[256, 768]
xq = to(mul(x, 4.0), f8e4m3)
h  = linear(xq, prepack(mul(W, 16.0), f8e4m3)) >> mul(0.015625) >> relu() >> to(f8e4m3)
y  = linear(h, prepack(mul(V, 16.0), f8e4m3)) >> mul(0.0625) >> to(f32)
return y
