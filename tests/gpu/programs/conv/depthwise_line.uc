target sm_90a
input x: bf16[2, 40, 300] @nwc
param W: bf16[40, 1, 9]
y = conv1d(x, W, padding=same, groups=40).algorithm(direct) >> gelu() >> to(bf16, nwc)
return y
