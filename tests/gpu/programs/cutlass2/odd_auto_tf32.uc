# What TMA cannot read goes to CUTLASS 2 by itself: K is odd.
target sm_90a
precision tf32
input a: f32[205, 149]
input b: f32[149, 121]
c = gemm(a, b)
return c
