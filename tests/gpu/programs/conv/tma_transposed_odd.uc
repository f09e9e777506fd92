# Stride 3 over a filter of 2: results without a tap; dilation; a residual; results with their channels first.
target sm_90a
precision tf32
input x: f32[3, 32, 5, 7] @nhwc
param W: f32[32, 36, 2, 3]
param b: f32[36]
input r: f32[3, 36, 14, 14] @nhwc
Wc = prepack(to(permute(W, [1, 0, 2, 3]), nhwc))
y = conv_transpose2d(x, permute(Wc, [1, 0, 2, 3]), stride=[3, 2], padding=[0, 1], output_padding=[0, 1], dilation=[1, 1]).backend(cutlass3) >> bias(b) >> add(r) >> relu() >> to(row)
return y
