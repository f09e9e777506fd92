# the multiplication starts while the split ends
target sm_90a
input a: f32[256, 8192]
input b: f32[256, 8192]
c = gemm(a, transpose(b)).math(f16x3).tile(128x128x64).schedule(cooperative).pdl(on)
return c
