# Heads of 192, values of 128
target sm_90a
input q: bf16[1, 4, 160, 192]
input k: bf16[1, 4, 160, 192]
input v: bf16[1, 4, 160, 128]
o = attention(q, k, v, causal=true) >> to(f32)
return o
