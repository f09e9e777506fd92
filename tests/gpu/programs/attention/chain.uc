# A residual and an activation behind it, two results
target sm_90a
precision f16
input q: f16[2, 130, 4, 64]
input k: f16[2, 130, 4, 64]
input v: f16[2, 130, 4, 64]
input r: f32[2, 130, 4, 64]
input g: f32[64]
x, y = attention(q, k, v, layout=bshd) >> residual(r) >> store(f32) >> mul(g) >> silu() >> to(f16)
return x, y
