# The same for SM120, on the main loops of CUTLASS 2. Compiled, never run.
target sm_120a
precision f16
input a: f16[4096, 4096]
input b: f16[4096, 4096] @col
c = gemm(a, b) >> to(f16)
return c
