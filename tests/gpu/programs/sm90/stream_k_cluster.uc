# More tiles than SMs, in clusters; the last wave is streamed.
target sm_90a
input a: bf16[2200, 1024]
input w: bf16[2304, 1024]
input r: bf16[2200, 2304]
c = linear(a, w).tile(128x128x64).cluster(2x1).schedule(cooperative).scheduler(stream_k) >> residual(r) >> to(bf16)
return c
