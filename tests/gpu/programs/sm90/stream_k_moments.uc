# Two sums at once, of a batch of products, whose tiles are fewer than the SMs.
target sm_90a
input a: f16[3, 256, 8192]
input b: f16[3, 8192, 384]
s, q = gemm(a, b).tile(128x128x64).cluster(1x1).schedule(cooperative).scheduler(stream_k) >> to(f32) >> sum(it, it * it, dim=2)
return s, q
