# A slope a head times the distance, from the positions
target sm_90a
input q: f16[2, 4, 100, 64]
input k: f16[2, 4, 100, 64]
input v: f16[2, 4, 100, 64]
input slope: f32[4, 1, 1]
o = attention(q, k, v, causal=true, score=it - slope * to(index(it, dim=2) - index(it, dim=3), f32)) >> to(f32)
return o
