# A plain product for SM100: two SMs a tile. Compiled, never run.
target sm_100a
precision f16
input a: f16[4096, 4096]
input b: f16[4096, 4096] @col
c = gemm(a, b) >> to(f16)
return c
