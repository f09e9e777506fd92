# Both operands column-major, M and K odd.
target sm_90a
input a: bf16[203, 66] @col
input b: bf16[66, 130] @col
c = gemm(a, b).backend(cutlass2) >> relu() >> to(f32)
return c
