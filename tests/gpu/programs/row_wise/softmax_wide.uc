# A row of eight tiles: all blocks of the widest portable cluster.
target sm_90a
precision f16
input a: f16[200, 256]
input b: f16[256, 2048]
y = gemm(a, b).tile(128x256x64).cluster(1x8).schedule(cooperative) >> mul(0.25) >> softmax() >> to(f16)
return y
