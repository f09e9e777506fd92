# Accesses of four bytes where sixteen would do.
target sm_90a
input a: f16[128, 128]
input b: f16[128, 128]
c = gemm(a, b).backend(cutlass2).align(4) >> to(f32)
return c
