# What is stored before the row meets, in halves, and a softmax of it.
target sm_90a
precision f16
input x: f16[200, 128]
param w: f16[128, 128]
input r: f16[200, 128]
s, y = linear(x, w).tile(128x128x64).cluster(1x1).schedule(cooperative) >> residual(r) >> to(f16) >> store(f16) >> softmax() >> to(f16)
return s, y
