target sm_90a
input x: i8[2, 5, 9, 10]
param W: i8[7, 5, 3, 3]
y = conv2d(x, W, padding=1).algorithm(direct) >> to(f32)
return y
