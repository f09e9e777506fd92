# Causal with more keys than queries, and odd lengths
target sm_90a
input q: f16[1, 2, 77, 64]
input k: f16[1, 2, 201, 64]
input v: f16[1, 2, 201, 64]
o = attention(q, k, v, causal=true)
return o
