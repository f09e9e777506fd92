# tf32x3 with aligned operands, K contiguous in both.
target sm_90a
precision strict
input a: f32[384, 1024]
input b: f32[256, 1024]
c = linear(a, b).math(tf32x3).backend(cutlass2)
return c
