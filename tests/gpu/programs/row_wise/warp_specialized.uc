# One tile a block, which ends with it.
target sm_90a
precision f16
input a: f16[400, 192]
param w: f16[256, 192]
y = linear(a, w).tile(64x128x64).cluster(1x2).schedule(warp_specialized) >> l2_normalize() >> to(f32)
return y
