# What `tril` made needs no declaration.
target sm_90a
precision f16
input A: f32[640, 640]
input B: f16[640, 384]
a = tril(A) >> to(f16)
C = gemm(a, B).skip(zeros) >> to(f32)
return C
