target sm_90a
input a: f64[65, 33]
input b: f64[33, 40]
c = gemm(a, b).backend(simt)
return c
