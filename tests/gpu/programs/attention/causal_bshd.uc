# Positions before heads, causal, more queries than one tile
target sm_90a
input q: f16[2, 384, 4, 96]
input k: f16[2, 384, 4, 96]
input v: f16[2, 384, 4, 96]
o = attention(q, k, v, layout=bshd, causal=true) >> to(f16)
return o
