# Copies of 8 bytes
target sm_90a
input q: f16[1, 2, 90, 20]
input k: f16[1, 2, 90, 20]
input v: f16[1, 2, 90, 36]
o = attention(q, k, v) >> to(f32)
return o
