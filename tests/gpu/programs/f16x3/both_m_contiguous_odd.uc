target sm_90a
input a: f32[131, 75] @col
input b: f32[75, 140]
c = gemm(a, b).math(f16x3).tile(128x128x64).cluster(2x1).schedule(cooperative) >> relu()
return c
