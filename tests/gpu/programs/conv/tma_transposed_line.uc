target sm_90a
input x: bf16[4, 64, 33] @nwc
param W: bf16[64, 50, 5]
Wc = prepack(to(permute(W, [1, 0, 2]), bf16, nwc))
y = conv_transpose1d(x, permute(Wc, [1, 0, 2]), stride=2, padding=2, output_padding=1).backend(cutlass3) >> to(bf16, nwc)
return y
