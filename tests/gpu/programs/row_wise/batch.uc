# Matrices of a batch, with rows shorter than the tile: what lies beside them is no row.
target sm_90a
precision f16
input a: f16[5, 150, 64]
input b: f16[5, 64, 64]
param g: f32[64]
param e: f32[64]
y = gemm(a, b).tile(128x128x64).cluster(1x1).schedule(pingpong) >> layer_norm(g, e) >> to(f32)
return y
