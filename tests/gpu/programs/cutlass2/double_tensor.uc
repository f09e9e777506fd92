target sm_90a
input a: f64[100, 75]
input b: f64[75, 121]
input r: f64[100, 121]
c = gemm(a, b).backend(cutlass2) >> residual(r)
return c
