# Where an element lies decides: above the diagonal nothing is kept.
target sm_90a
input a: f16[2, 320, 128]
input b: f16[2, 128, 320]
x = gemm(a, b).tile(128x64x64) >> tril() >> to(f32)
y = gemm(a, b).tile(64x128x64) >> triu(diagonal=1) >> to(f16)
return x, y
