# swish(group_norm(linear(x)) ...)                                 KernelBench L2/88
# A group is 32 columns, which lie within a tile: everything happens in the epilogue.
target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "gemm.weight"
param b: f32[8192] = "gemm.bias"
param gw: f32[8192] = "group_norm.weight"
param gb: f32[8192] = "group_norm.bias"
param mw: f32[8192] = "multiply_weight"

xh = to(x, f16)
y = linear(xh, prepack(W, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> group_norm(256, gw, gb, eps=1e-5) >> silu() >> mul(mw) >> silu() >> to(f32)
return y
