# Many tiles a block: clusters meet again and again, and take turns with barriers and buffers.
target sm_90a
precision f16
input a: f16[9000, 64]
param w: f16[512, 64]
y = linear(a, w).tile(128x128x64).cluster(1x4).schedule({pingpong, cooperative}) >> log_softmax() >> to(f16)
return y
