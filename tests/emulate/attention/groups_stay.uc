# Warpgroups: three tiles of queries a head, so that pairs of pieces straddle heads, and more pairs than the device has SMs
target sm_90a
input q: f16[1, 3, 270, 32]
input k: f16[1, 3, 270, 32]
input v: f16[1, 3, 270, 32]
o = attention(q, k, v, causal=true).tile(128x64).stages(2).schedule(warp_specialized) >> to(f32)
return o
