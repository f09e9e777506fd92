target sm_90a
input x: f32[1, 4, 25, 25]
param W: f32[6, 4, 11, 11]
y = conv2d(x, W, padding=5).algorithm(direct) >> tanh()
return y
