# Attention whose warpgroups multiply while another one copies
target sm_90a
input q: bf16[2, 300, 4, 96]
input k: bf16[2, 260, 2, 96]
input v: bf16[2, 260, 2, 32]
o = attention(q, k, v, layout=bshd, causal=true).tile(128x32).stages(2).schedule(warp_specialized) >> to(f32)
return o
