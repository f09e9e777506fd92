target sm_90a
input a: f64[128, 96] @col
input b: f64[96, 64] @col
c = gemm(a, b).backend(cutlass2) >> mul(0.25)
return c
