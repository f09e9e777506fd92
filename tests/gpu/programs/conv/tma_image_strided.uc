target sm_90a
input x: bf16[2, 64, 30, 23] @nhwc
param W: bf16[64, 64, 3, 5] @nhwc
y = conv2d(x, W, stride=[2, 3], padding=[2, 1], dilation=[2, 1]).backend(cutlass3).tile(128x64x64).schedule(cooperative) >> to(bf16, nhwc)
return y
