# Nothing is known of the operands, and the epilogue keeps one triangle; stored by columns, so that the kernel
# computes the transpose.
target sm_90a
precision f16
input A: f16[776, 512]
input B: f16[512, 776]
input b: f32[776]
C = gemm(A, B).tile(128x128x64).cluster(2x1).schedule(cooperative).skip(zeros) >> bias(b) >> tril() >> to(f32)
D = gemm(A, B).tile(128x128x64).cluster(1x1).schedule(cooperative).skip(zeros) >> triu(1) >> mul(0.5) >> to(f16, col)
return C, D
