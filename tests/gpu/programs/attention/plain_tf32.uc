# f32 data as tf32
target sm_90a
precision tf32
input q: f32[2, 4, 128, 64]
input k: f32[2, 4, 160, 64]
input v: f32[2, 4, 160, 64]
o = attention(q, k, v)
return o
