# One tile a block, ragged edges.
target sm_90a
precision f16
input a: f16[1000, 520]
input b: f16[520, 776]
input r: f32[1000, 776]
c = gemm(a, b).tile(128x128x64).cluster(2x1).schedule(warp_specialized) >> residual(r) >> relu() >> to(f32)
return c
