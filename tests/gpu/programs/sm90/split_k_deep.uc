# As `auto` has it: a slice an SM.
# tolerance: 2e-3
target sm_90a
input a: f16[256, 131072]
input w: f16[256, 131072]
c = linear(a, w) >> mul(0.01) >> to(f32)
return c
