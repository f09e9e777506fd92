# problem: level2/95_Matmul_Add_Swish_Tanh_GELU_Hardtanh.py
# weights prepared at load time
target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "matmul.weight"
param b: f32[8192] = "matmul.bias"
param v: f32[8192] = "add_value"

xh = to(x, f16)
y = linear(xh, prepack(W, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> add(v) >> silu() >> tanh() >> gelu() >> hardtanh() >> to(f32)
return y
