target sm_90a
input x: f64[2, 6, 9, 10]
param W: f64[6, 1, 3, 3]
y = conv2d(x, W, padding=1, groups=6).algorithm(direct)
return y
