target sm_90a
precision f16
input a: f16[4096, 4096]
input b: f16[4096, 4096]
c = linear(a, b).backend(cutlass2) >> to(f16)
return c
