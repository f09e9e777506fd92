# Eight channels a thread, four results each.
target sm_90a
input x: f16[2, 64, 15, 14] @nhwc
param W: f16[64, 1, 3, 3]
Wc = prepack(to(permute(W, [2, 3, 1, 0]), row))
param b: f16[64]
y = conv2d(x, permute(Wc, [3, 2, 0, 1]), padding=1, groups=64).algorithm(direct) >> bias(b) >> relu6() >> to(f16, nhwc)
return y
