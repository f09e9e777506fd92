# Each launch starts while the one before still runs, and waits before it reads.
target sm_90a
input a: f16[512, 512]
param w1: f16[512, 512]
param w2: f16[512, 512]
param w3: f16[512, 512]
x = linear(a, w1).tile(128x128x64).schedule(pingpong).pdl(on) >> relu() >> to(f16)
y = linear(x, w2).tile(128x128x64).schedule(cooperative).pdl(on) >> relu() >> to(f16)
z = linear(y, w3).tile(64x128x64).schedule(warp_specialized).pdl(on) >> residual(x) >> to(f16)
return z
