target sm_90a
precision tf32
input a: f32[256, 4096]
input w: f32[256, 4096]
c = linear(a, w).tile(128x128x32).schedule(cooperative).split(3)
return c
