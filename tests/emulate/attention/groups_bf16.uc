# Warpgroups: more than 64 features, a mask, a score
target sm_90a
input q: bf16[1, 1, 33, 72]
input k: bf16[1, 1, 100, 72]
input v: bf16[1, 1, 100, 80]
input seen: bool[1, 1, 1, 100]
o = attention(q, k, v, mask=seen, score=2 * tanh(it)).tile(128x32).stages(2).schedule(warp_specialized) >> to(f32)
return o
