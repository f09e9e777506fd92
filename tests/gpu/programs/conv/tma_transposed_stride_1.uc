target sm_90a
input x: f16[2, 128, 8, 9] @nhwc
param W: f16[128, 64, 3, 3]
Wc = prepack(to(permute(W, [1, 0, 2, 3]), f16, nhwc))
y = conv_transpose2d(x, permute(Wc, [1, 0, 2, 3]), padding=1).backend(cutlass3) >> to(f16, nhwc)
return y
