# Decoding: one query a head, many keys
target sm_90a
input q: f16[3, 8, 1, 128]
input k: f16[3, 2, 1000, 128]
input v: f16[3, 2, 1000, 128]
o = attention(q, k, v) >> to(f32)
return o
