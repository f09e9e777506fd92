# An explicit tile
target sm_90a
input q: f16[1, 2, 300, 64]
input k: f16[1, 2, 210, 64]
input v: f16[1, 2, 210, 64]
o = attention(q, k, v, causal=true).tile(128x128).stages(1) >> to(f32)
return o
