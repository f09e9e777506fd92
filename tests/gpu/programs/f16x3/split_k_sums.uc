# Parts of K of one tile are added up before its epilogue combines rows.
target sm_90a
input a: f32[384, 8192]
input w: f32[512, 8192]
y, s = linear(a, w).math(f16x3).tile(128x128x64).cluster(1x1).schedule(cooperative).scheduler(split_k).split(4) >> store(f32) >> row_reduce()
return y, s
