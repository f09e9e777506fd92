target sm_90a
input a: bf16[3, 130, 72] @strides(11440, 88, 1)
input b: bf16[3, 72, 264]
c = gemm(a, b).tile(64x128x64) >> to(f32, row, pitch=4)
return c
