# Stored, and combined along columns besides.
target sm_90a
input a: f16[1032, 256]
input w: f16[512, 256]
y, s = linear(a, w).tile(128x128x64).cluster(2x1).schedule(cooperative) >> relu() >> store(f16) >> to(f32) >> col_reduce(mean)
z = linear(a, w).tile(64x128x64).schedule(pingpong) >> to(f32) >> col_reduce(min)
return y, s, z
