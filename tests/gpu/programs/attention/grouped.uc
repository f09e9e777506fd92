# Four query heads share keys and values
target sm_90a
input q: f16[2, 130, 8, 64]
input k: f16[2, 190, 2, 64]
input v: f16[2, 190, 2, 48]
o = attention(q, k, v, layout=bshd, causal=true) >> to(f32)
return o
