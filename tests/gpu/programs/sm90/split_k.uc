target sm_90a
input a: f16[256, 8192]
input w: f16[384, 8192]
c = linear(a, w).tile(128x128x64).cluster(1x1).schedule(cooperative).scheduler(split_k).split(4) >> mul(0.125) >> to(f32)
return c
