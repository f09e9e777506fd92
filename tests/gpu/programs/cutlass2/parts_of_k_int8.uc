target sm_90a
input a: i8[64, 2048]
input b: i8[64, 2048]
c = linear(a, b).backend(cutlass2).split(4) >> to(f32)
return c
