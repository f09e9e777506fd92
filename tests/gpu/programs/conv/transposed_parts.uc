target sm_90a
input x: f16[1, 128, 6, 6] @nhwc
param W: f16[128, 16, 4, 4]
y = conv_transpose2d(x, W, stride=2, padding=1).backend(cutlass2).tile(64x64x32).split(3) >> to(f16, nhwc)
return y
