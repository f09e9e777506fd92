target sm_90a
precision tf32
input a: f32[4096, 4096]
input b: f32[4096, 4096]
c = linear(a, b).backend(cutlass2) >> to(f32)
return c
