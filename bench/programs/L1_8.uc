# KernelBench L1/8: no extent is even, so nothing of it is read 16 bytes at a time.
target sm_90a
precision strict
input a: f32[8205, 2949]
input b: f32[2949, 5921]
c = gemm(a, b)
return c
