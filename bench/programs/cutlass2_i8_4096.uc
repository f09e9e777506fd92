target sm_90a
precision strict
input a: i8[4096, 4096]
input b: i8[4096, 4096]
c = linear(a, b).backend(cutlass2) >> to(i32)
return c
