# Filters with the channels of the input contiguous.
target sm_90a
input x: f16[2, 64, 7, 9] @nhwc
param W: f16[64, 32, 3, 3]
Wc = prepack(to(permute(W, [1, 0, 2, 3]), f16, nhwc))
y = conv_transpose2d(x, permute(Wc, [1, 0, 2, 3]), stride=2, padding=1, output_padding=1) >> to(f16, nhwc)
return y
