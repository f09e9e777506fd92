target sm_90a
precision f16
input x: f16[333, 128]
param w: f16[256, 128]
y = linear(x, w).tile(128x256x64).cluster(1x1).schedule(cooperative) >> square() >> var(dim=1) >> to(f32)
return y
