# One tile holds the whole row.
target sm_90a
precision f16
input a: f16[384, 256]
input b: f16[256, 256]
param s: f32[256]
y = gemm(a, b).tile(128x256x64).cluster(2x1).schedule(cooperative) >> bias(s) >> softmax() >> to(f32)
return y
