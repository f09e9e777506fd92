# Groups of 32 columns within a tile.
target sm_90a
precision f16
input x: f16[300, 512]
param w: f16[1024, 512]
param c: f32[1024]
param g: f32[1024]
param b: f32[1024]
param m: f32[1024]
y = linear(x, w).tile(128x256x64).cluster(2x1).schedule(cooperative)
    >> bias(c) >> group_norm(32, g, b, eps=1e-5) >> silu() >> mul(m) >> silu() >> to(f32)
return y
