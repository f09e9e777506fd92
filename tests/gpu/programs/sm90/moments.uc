# Sum and sum of squares of every row in one pass.
target sm_90a
input a: f16[384, 512]
input w: f16[640, 512]
s, q = linear(a, w).tile(128x128x64).schedule(cooperative) >> to(f32) >> sum(it, it * it, dim=1)
return s, q
