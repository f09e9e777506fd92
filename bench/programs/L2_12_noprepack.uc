# problem: level2/12_Gemm_Multiply_LeakyReLU.py
# nothing prepared: the weights are converted in every call
target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "gemm.weight"
param b: f32[8192] = "gemm.bias"

xh, Wh = to(x, W, f16)
y = linear(xh, Wh)
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> mul(2.0) >> leaky_relu(0.1) >> to(f32)
return y
