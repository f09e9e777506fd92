# Warpgroups
target sm_90a
input q: bf16[2, 4, 700, 72]
input k: bf16[2, 2, 650, 72]
input v: bf16[2, 2, 650, 80]
o = attention(q, k, v, causal=false).tile(128x48).stages(2).schedule(warp_specialized) >> to(f32)
return o
