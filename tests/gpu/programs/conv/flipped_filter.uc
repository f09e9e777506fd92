# What runs backwards through memory is left to the direct kernel.
target sm_90a
input x: f32[2, 8, 9, 9]
param W: f32[8, 8, 3, 3]
y = conv2d(x, flip(W, [2, 3]), padding=1)
return y
