# problem: level2/63_Gemm_ReLU_Divide.py
# nothing prepared: the weights are converted in every call
target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "linear.weight"
param b: f32[8192] = "linear.bias"

xh, Wh = to(x, W, f16)
y = linear(xh, Wh)
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> relu() >> mul(0.5) >> to(f32)
return y
