# Warpgroups
target sm_90a
input q: f16[2, 4, 700, 32]
input k: f16[2, 2, 650, 32]
input v: f16[2, 2, 650, 32]
o = attention(q, k, v, causal=false).tile(128x192).stages(2).schedule(warp_specialized) >> to(f32)
return o
