target sm_90a
input a: f8e4m3[512, 2048]
input w: f8e4m3[512, 2048]
c = linear(a, w).tile(128x256x128).cluster(2x1).schedule(cooperative).accum(fast) >> mul(0.0625) >> to(f16)
return c
