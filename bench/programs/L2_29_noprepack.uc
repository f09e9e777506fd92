# problem: level2/29_Matmul_Mish_Mish.py
# nothing prepared: the weights are converted in every call
target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "linear.weight"
param b: f32[8192] = "linear.bias"

xh, Wh = to(x, W, f16)
y = linear(xh, Wh)
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> mish() >> mish() >> to(f32)
return y
