# Warpgroups: causal, odd lengths, three steps over the keys, grouped heads
target sm_90a
input q: f16[1, 140, 2, 64]
input k: f16[1, 170, 1, 64]
input v: f16[1, 170, 1, 48]
o = attention(q, k, v, layout=bshd, causal=true).tile(128x64).stages(2).schedule(warp_specialized) >> to(f32)
return o
