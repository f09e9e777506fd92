# A row of 1000 columns in tiles of 1024: columns beyond it do not meet.
target sm_90a
precision f16
input x: f16[300, 128]
param w: f16[1000, 128]
param c: f32[1000]
y = linear(x, w).tile(128x128x64).cluster(1x8).schedule(pingpong) >> bias(c) >> softmax() >> to(f32)
return y
