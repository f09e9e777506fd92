# The narrowest groups: a quad has one of 8 columns. Activations before and after.
target sm_90a
precision f16
input a: f16[260, 128]
param w: f16[384, 128]
param c: f16[384]
y = linear(a, w).tile(128x192x64).cluster(2x1).schedule(pingpong) >> bias(c) >> gelu() >> group_norm(48) >> tanh() >> to(f16)
return y
