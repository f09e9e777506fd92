# few tiles and a long K: parts of K by several blocks
target sm_90a
input a: f32[256, 8192]
input b: f32[256, 8192]
c = gemm(a, transpose(b)).math(f16x3).tile(128x128x64).schedule(cooperative).scheduler(stream_k)
return c
