# The transpose is computed, and a triangle of it kept: places of elements in the second function.
target sm_90a
precision f16
input a: f16[192, 2048]
input b: f16[2048, 256]
input s: f32[192, 1]
c = gemm(a, b).tile(64x128x64).schedule(pingpong).split(4) >> mul(s) >> tril() >> to(f16, col)
return c
