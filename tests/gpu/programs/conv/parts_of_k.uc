target sm_90a
input x: f16[1, 256, 7, 7] @nhwc
param W: f16[64, 256, 3, 3] @nhwc
param b: f16[64]
y = conv2d(x, W, padding=1).backend(cutlass2).tile(64x64x32).split(6) >> bias(b) >> silu() >> to(f16, nhwc)
return y
