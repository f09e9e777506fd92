# Warpgroups
target sm_90a
input q: bf16[2, 4, 700, 128]
input k: bf16[2, 2, 650, 128]
input v: bf16[2, 2, 650, 128]
o = attention(q, k, v, causal=true).tile(128x128).stages(2).schedule(warp_specialized) >> to(f32)
return o
