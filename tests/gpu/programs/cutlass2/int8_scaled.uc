# i8 by i8 in i32, scaled in f32.
target sm_90a
input a: i8[200, 256]
input b: i8[144, 256]
input s: f32[144]
c = linear(a, b).backend(cutlass2) >> to(f32) >> mul(s)
return c
