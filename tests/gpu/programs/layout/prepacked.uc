target sm_90a
precision f16
param W: f32[48, 36, 3, 3]
input x: f32[48, 3, 3, 36]
w = prepack(to(W, f16, nhwc))
y = mul(permute(x, [0, 3, 1, 2]), w)
return y
