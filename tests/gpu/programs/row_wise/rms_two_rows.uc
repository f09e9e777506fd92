# 256 rows a tile: a thread has four of them. Two blocks share a row, and two such pairs are a cluster.
target sm_90a
precision bf16
input a: bf16[700, 128]
param w: bf16[256, 128]
param g: bf16[256]
y = linear(a, w).tile(256x128x64).cluster(2x2).schedule(cooperative) >> rms_norm(g, eps=1e-6) >> to(bf16)
return y
