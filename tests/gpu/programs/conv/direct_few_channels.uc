target sm_90a
input x: f32[2, 3, 33, 31]
param W: f32[16, 3, 3, 3]
param b: f32[16]
y = conv2d(x, W, stride=2, padding=1).algorithm(direct) >> bias(b) >> relu()
return y
