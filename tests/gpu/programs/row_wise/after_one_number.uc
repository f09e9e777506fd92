# L2/22, 64: activations of one number a row.
target sm_90a
precision f16
input x: f16[1024, 256]
param w: f16[1024, 256]
param c: f32[1024]
y = linear(x, w).tile(128x256x64).cluster(1x4).schedule(cooperative)
    >> bias(c) >> logsumexp(dim=1, keepdim=true) >> leaky_relu(0.01) >> mish() >> to(f32)
return y
