# K of i8 operands is odd: bytes one by one.
target sm_90a
input a: i8[70, 75]
input b: i8[50, 75]
c = linear(a, b).backend(cutlass2) >> to(i32)
return c
