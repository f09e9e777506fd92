target sm_90a
input a: f16[130, 4096]
input w: f16[72, 4096]
c = linear(a, w).tile(64x64x64).schedule(warp_specialized).split(8) >> to(f32) >> col_reduce(max)
return c
