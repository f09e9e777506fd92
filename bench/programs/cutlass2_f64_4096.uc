target sm_90a
precision strict
input a: f64[4096, 4096]
input b: f64[4096, 4096]
c = linear(a, b).backend(cutlass2) >> to(f64)
return c
