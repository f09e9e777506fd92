# tolerance: 5e-3
# A batch of matrices with given scales, those of A with rows contiguous (as TMA loads them); B is transposed first.
target sm_90a
precision f8
input a: f32[2, 256, 512]
input b: f32[2, 384, 512]
input s: f32[2, 256, 4] @positive @strides(1024, 1, 256)
input t: f32[2, 3, 4] @positive
aq = to(a, f8e4m3, scale=s)
bq = to(transpose(b), f8e4m3, scale=transpose(t))
c  = gemm(aq, bq) >> to(f32)
return c
