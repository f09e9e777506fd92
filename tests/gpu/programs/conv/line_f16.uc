target sm_90a
input x: f16[3, 32, 61] @nwc
param W: f16[40, 32, 7] @nwc
param b: f16[40]
y = conv1d(x, W, stride=3, padding=3) >> bias(b) >> to(f16, nwc)
return y
