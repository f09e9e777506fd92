# tolerance: 5e-3
# The same in every schedule and a batch folded into rows.
target sm_90a
precision f8
input x: f32[520, 1024]
param W: f32[768, 1024]
s  = max(abs(reshape(x, [520, 8, 128])), dim=2) >> clamp(min=0.000001) >> mul(0.002232142857142857)
xq = to(x, f8e4m3, scale=s)
t  = prepack(mul(max(abs(reshape(W, [6, 128, 8, 128])), dim=[1, 3]), 0.002232142857142857))
wq = prepack(to(W, f8e4m3, scale=t))
y  = linear(xq, wq).tile({64x128x128, 128x128x128}).cluster(1x1).schedule(pingpong) >> to(f32)
return y
