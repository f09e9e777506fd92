# Values in two slices, two tiles of 16 queries a warp
target sm_90a
input q: f16[1, 1, 129, 16]
input k: f16[1, 1, 20, 16]
input v: f16[1, 1, 20, 272]
o = attention(q, k, v).tile(128x16).stages(1) >> to(f32)
return o
