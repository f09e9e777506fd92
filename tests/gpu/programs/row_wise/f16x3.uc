# Strict data: three products of halves, and the factors of rows and columns before what meets.
target sm_90a
input a: f32[256, 512]
param w: f32[512, 512]
param c: f32[512]
param g: f32[512]
param e: f32[512]
y = linear(a, w).math(f16x3).tile(128x128x64).cluster(1x4) >> bias(c) >> layer_norm(g, e) >> relu()
return y
