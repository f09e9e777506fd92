# Nothing meets where mean and variance are given.
target sm_90a
precision f16
input x: f16[300, 128]
param w: f16[512, 128]
param m: f32[512]
param v: f32[512] @positive
param g: f32[512]
param b: f32[512]
y = linear(x, w).tile(128x256x64).cluster(2x1).schedule(cooperative) >> batch_norm(g, b, mean=m, var=v) >> relu() >> to(f32)
return y
