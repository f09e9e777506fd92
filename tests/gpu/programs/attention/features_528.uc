# Values in slices, blocks of their own
target sm_90a
input q: f16[1, 2, 40, 528]
input k: f16[1, 2, 50, 528]
input v: f16[1, 2, 50, 528]
o = attention(q, k, v) >> to(f32)
return o
