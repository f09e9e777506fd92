# f32 data without loss: three tf32 products
target sm_90a
input q: f32[1, 3, 100, 48]
input k: f32[1, 3, 130, 48]
input v: f32[1, 3, 130, 80]
o = attention(q, k, v, causal=true)
return o
