# Slices whose result is combined over rows and over columns by two more functions.
target sm_90a
input a: f16[200, 4096]
input w: f16[264, 4096]
h, s = linear(a, w).tile(128x128x64).schedule(cooperative).split({1, 6}) >> to(f32) >> store(f32) >> sum(it, dim=1)
return h, s
