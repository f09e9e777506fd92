# Heads of 256
target sm_90a
input q: f16[1, 2, 140, 256]
input k: f16[1, 2, 140, 256]
input v: f16[1, 2, 140, 256]
o = attention(q, k, v) >> to(f32)
return o
