target sm_90a
input x: f32[2, 30, 17, 19]
param W: f32[30, 1, 3, 5]
param b: f32[30]
input r: f32[2, 30, 9, 19]
y = conv2d(x, W, stride=[2, 1], padding=[1, 2], groups=30).algorithm(direct) >> bias(b) >> residual(r) >> silu()
return y
