# Heads of 64, batch and heads outermost
target sm_90a
input q: f16[2, 4, 256, 64]
input k: f16[2, 4, 256, 64]
input v: f16[2, 4, 256, 64]
o = attention(q, k, v)
return o
