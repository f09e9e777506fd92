# Warpgroups, a mask and what is added
target sm_90a
input q: f16[2, 300, 4, 64]
input k: f16[2, 300, 4, 64]
input v: f16[2, 300, 4, 64]
input seen: bool[2, 1, 1, 300]
input a: f32[300, 300]
o = attention(q, k, v, layout=bshd, mask=seen, score=it + a).tile(128x64).stages(2).schedule(warp_specialized) >> to(f32)
return o
