# Warpgroups
target sm_90a
input q: f16[2, 4, 700, 256]
input k: f16[2, 2, 650, 256]
input v: f16[2, 2, 650, 256]
o = attention(q, k, v, causal=false).tile(128x64).stages(2).schedule(warp_specialized) >> to(f32)
return o
