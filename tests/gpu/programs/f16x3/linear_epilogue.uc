# both operands K contiguous; K odd, so rows are read one float at a time
target sm_90a
input x: f32[129, 333]
param W: f32[96, 333]
param b: f32[96]
input r: f32[129, 96]
y = linear(x, W).math(f16x3).tile(128x96x64).schedule(cooperative) >> bias(b) >> gelu() >> residual(r)
return y
