# One number a row goes back into the elements that it was made of.
target sm_90a
precision f16
input x: f16[300, 128]
param w: f16[256, 128]
y = linear(x, w).tile(128x256x64).cluster(2x1).schedule(cooperative) >> map(it - logsumexp(it, dim=1, keepdim=true)) >> to(f32)
return y
