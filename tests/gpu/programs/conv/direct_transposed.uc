target sm_90a
input x: f32[2, 12, 6, 7]
param W: f32[12, 3, 4, 3]
y = conv_transpose2d(x, W, stride=[2, 3], padding=1, output_padding=[1, 0], groups=4).algorithm(direct)
return y
