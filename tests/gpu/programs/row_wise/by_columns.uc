# A result by columns beside a row-major one: what is not stored by rows is stored by hand.
target sm_90a
precision f16
input x: f16[200, 128]
param w: f16[128, 128]
s, y = linear(x, w).tile(128x128x64).cluster(1x1).schedule(cooperative) >> softmax() >> store(f32) >> to(f32, col)
return s, y
