# stride 2: four classes of 2 x 2 taps, one launch
target sm_90a
precision f16
input x: f16[3, 64, 9, 11] @nhwc
param W: f16[64, 72, 4, 4]
param b: f16[72]
Wc = prepack(to(permute(W, [1, 0, 2, 3]), nhwc))
y = conv_transpose2d(x, permute(Wc, [1, 0, 2, 3]), stride=2, padding=1).backend(cutlass3) >> bias(b) >> relu() >> to(f16, nhwc)
return y
