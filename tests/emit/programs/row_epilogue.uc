# A sum that is stored, and its norm, whose row lies in the four blocks of a cluster.
target sm_90a
precision f16
input a: f16[200, 512]
param w: f16[1024, 512]
param c: f32[1024]
input x: f32[200, 1024]
param g: f32[1024]
param e: f32[1024]
s, y = linear(a, w).tile(128x256x64).cluster(1x4).schedule(cooperative)
       >> bias(c) >> residual(x) >> store(f32) >> layer_norm(g, e, eps=1e-5) >> to(f16)
return s, y
