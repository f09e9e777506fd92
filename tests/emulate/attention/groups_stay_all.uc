# Warpgroups: three pieces a block, whose tiles of keys are odd in number
target sm_90a
input q: f16[3, 2, 140, 32]
input k: f16[3, 2, 140, 32]
input v: f16[3, 2, 140, 32]
o = attention(q, k, v, causal=false).tile(128x48).stages(2).schedule(warp_specialized) >> to(f32)
return o
