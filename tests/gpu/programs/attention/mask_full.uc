# A mask of every score, with causal
target sm_90a
input q: f16[2, 2, 100, 64]
input k: f16[2, 2, 100, 64]
input v: f16[2, 2, 100, 64]
input seen: bool[2, 2, 100, 100]
o = attention(q, k, v, mask=seen, causal=true) >> to(f32)
return o
