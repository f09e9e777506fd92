# problem: level2/81_Gemm_Swish_Divide_Clamp_Tanh_Clamp.py
# weights prepared at load time
target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "gemm.weight"
param b: f32[8192] = "gemm.bias"

xh = to(x, f16)
y = linear(xh, prepack(W, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> silu() >> mul(0.5) >> clamp(-1, 1) >> tanh() >> clamp(-1, 1) >> to(f32)
return y
