# Blocks share tiles along K; the one that has the whole sum combines rows, or columns, and stores the product.
target sm_90a
input x: f16[640, 4096]
input w: f16[1056, 4096]
input b: f16[1056]
h, s = linear(x, w).tile(128x128x64).cluster({1x1, 2x1}).schedule(cooperative).scheduler(stream_k) >> bias(b) >> relu() >> store(f16) >> to(f32) >> row_reduce()
t = linear(x, w).tile(128x256x64).cluster(1x2).schedule(cooperative).scheduler(stream_k) >> bias(b) >> to(f32) >> col_reduce(max)
return h, s, t
