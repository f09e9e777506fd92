target sm_90a
input x: f16[1, 16, 5, 8, 7] @ndhwc
param W: f16[16, 1, 3, 3, 3]
y = conv3d(x, W, padding=1, stride=[1, 2, 1], groups=16).algorithm(direct) >> to(f16, ndhwc)
return y
