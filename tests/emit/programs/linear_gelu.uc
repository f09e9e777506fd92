target sm_90a
precision f16
input x: f32[1024, 8192]
param W: f32[8192, 8192] = "matmul.weight"
param b: f32[8192] = "matmul.bias"

xh = to(x, f16)
y = linear(xh, prepack(W, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> mul(0.1) >> gelu() >> to(f32)
return y
