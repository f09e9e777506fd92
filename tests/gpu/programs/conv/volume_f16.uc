target sm_90a
input x: f16[2, 16, 6, 9, 8] @ndhwc
param W: f16[32, 16, 3, 3, 3] @ndhwc
param b: f16[32]
y = conv3d(x, W, stride=[1, 2, 2], padding=1) >> bias(b) >> hardswish() >> to(f16, ndhwc)
return y
