# KernelBench L1/8 as PyTorch multiplies it with TF32 allowed.
target sm_90a
precision tf32
input a: f32[8205, 2949]
input b: f32[2949, 5921]
c = gemm(a, b)
return c
