# Causal with fewer keys than queries
target sm_90a
input q: bf16[1, 2, 333, 32]
input k: bf16[1, 2, 99, 32]
input v: bf16[1, 2, 99, 32]
o = attention(q, k, v, causal=true) >> to(f32)
return o
