# L2/30: groups of 512 columns are two tiles, of which a cluster has four; the last rows are few.
target sm_90a
precision f16
input x: f16[140, 256]
param w: f16[2048, 256]
param c: f32[2048]
param g: f32[2048]
param b: f32[2048]
y = linear(x, w).tile(128x256x64).cluster(1x4).schedule(cooperative) >> bias(c) >> group_norm(4, g, b) >> clamp(min=-1.0, max=1.0) >> to(f32)
return y
