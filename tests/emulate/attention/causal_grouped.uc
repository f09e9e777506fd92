# Two heads share keys and values; odd lengths, two tiles of queries
target sm_90a
input q: f16[1, 37, 2, 32]
input k: f16[1, 45, 1, 32]
input v: f16[1, 45, 1, 48]
o = attention(q, k, v, layout=bshd, causal=true).tile(32x16).stages(2) >> to(f32)
return o
