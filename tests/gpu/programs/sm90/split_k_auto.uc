target sm_90a
input a: f16[128, 16384]
input w: f16[256, 16384]
c = linear(a, w).scheduler(split_k) >> silu() >> to(f16)
return c
