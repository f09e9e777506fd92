# Eight tiles for all SMs: parts of K meet in scratch memory.
target sm_90a
precision f16
input a: f16[512, 4096]
input b: f16[4096, 512]
input v: f32[512]
c = gemm(a, b).tile(128x256x64).cluster(1x1).schedule(cooperative).scheduler(stream_k) >> bias(v) >> to(f32)
return c
