target sm_90a
input x: f16[2, 64, 300] @nwc
param W: f16[64, 64, 7] @nwc
y = conv1d(x, W, stride=2, padding=3).backend(cutlass3) >> silu() >> to(f16, nwc)
return y
