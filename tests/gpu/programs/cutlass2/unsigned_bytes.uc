# u8 by u8 in i32.
target sm_90a
input a: u8[100, 128]
input b: u8[60, 128]
c = linear(a, b).backend(cutlass2) >> to(i32)
return c
