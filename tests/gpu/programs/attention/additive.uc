# What is added to the scores
target sm_90a
input q: f16[2, 4, 80, 64]
input k: f16[2, 4, 80, 64]
input v: f16[2, 4, 80, 64]
input a: f32[4, 80, 80]
o = attention(q, k, v, score=it + a) >> to(f32)
return o
