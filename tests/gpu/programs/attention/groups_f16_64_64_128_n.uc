# Warpgroups
target sm_90a
input q: f16[2, 4, 700, 64]
input k: f16[2, 2, 650, 64]
input v: f16[2, 2, 650, 64]
o = attention(q, k, v, causal=false).tile(128x128).stages(2).schedule(warp_specialized) >> to(f32)
return o
