# More pieces than SMs; eight tiles of queries a head, the last not whole
target sm_90a
input q: f16[2, 96, 900, 64]
input k: f16[2, 96, 900, 64]
input v: f16[2, 96, 900, 64]
o = attention(q, k, v, causal=true).tile(128x128).stages(2).schedule(warp_specialized) >> to(f32)
return o
