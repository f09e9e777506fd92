# Every pair of layouts of A and B, ragged K.
target sm_90a
input a: f16[264, 136]
input b: f16[136, 328]
input at: f16[264, 136] @col
input bt: f16[136, 328] @col
rr = gemm(a, b).tile(128x128x64) >> to(f32)
rc = gemm(a, bt).tile(128x128x64) >> to(f32)
cr = gemm(at, b).tile(64x128x64) >> to(f32)
cc = gemm(at, bt).tile(64x128x64) >> to(f32)
return rr, rc, cr, cc
