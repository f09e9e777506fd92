# K in parts, one of them shorter; the epilogue is applied to the sum.
target sm_90a
precision f16
input a: f16[64, 1000]
input b: f16[1000, 72]
input v: f32[72]
c = gemm(a, b).backend(cutlass2).tile(64x64x64).split(5) >> bias(v) >> relu() >> to(f16)
return c
