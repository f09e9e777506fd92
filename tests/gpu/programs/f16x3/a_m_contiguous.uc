target sm_90a
input a: f32[77, 130] @col
input b: f32[52, 130]
c = gemm(a, transpose(b)).math(f16x3).tile(64x128x64).schedule(pingpong)
return c
