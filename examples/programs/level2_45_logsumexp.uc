# logsumexp(linear2(sigmoid(linear1(x))))                          KernelBench L2/45
# The 1024 columns of the second product lie in a cluster of four tiles: only one number a row is written.
target sm_90a
precision f16
input x: f32[16384, 2048]
param W1: f32[4096, 2048] = "linear1.weight"
param b1: f32[4096] = "linear1.bias"
param W2: f32[1024, 4096] = "linear2.weight"
param b2: f32[1024] = "linear2.bias"

xh = to(x, f16)
s = linear(xh, prepack(W1, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b1) >> sigmoid() >> to(f16)
y = linear(s, prepack(W2, f16))
     .tile(128x256x64).cluster(1x4).schedule(cooperative)
     >> bias(b2) >> logsumexp(dim=1)
return y
