# Channels first in the result and in what is read beside it; an odd number of pixels.
target sm_90a
precision tf32
input x: f32[3, 32, 9, 11]
param W: f32[72, 32, 3, 3]
param b: f32[72]
input r: f32[3, 72, 9, 11]
Wc = prepack(to(W, nhwc))
xc = to(x, nhwc)
y = conv2d(xc, Wc, padding=1).backend(cutlass3) >> bias(b) >> add(r) >> relu() >> to(row)
return y
