target sm_90a
input x: f16[2, 64, 5, 8, 9] @ndhwc
param W: f16[64, 64, 3, 3, 3] @ndhwc
y = conv3d(x, W, padding=1, stride=[1, 2, 1]).backend(cutlass3) >> to(f16, ndhwc)
return y
