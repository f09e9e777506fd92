# tolerance: 2e-5
# Quantised and back at once, in a pointwise step, in a chain, and inside a kernel over rows.
target sm_90a
precision f8
input x: f32[300, 512]
input s: f32[300, 1] @positive
y = to(to(x, f8e4m3, scale=s), f32)
z = mul(x, 2.0) >> to(f8e5m2, scale=s) >> to(f32)
q = to(x, f8e4m3, scale=s)
w = sum(to(q, f32), dim=1)
return y, z, w
