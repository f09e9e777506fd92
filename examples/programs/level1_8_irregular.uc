# C = A @ B with odd extents                                       KernelBench L1/8
# Rows of 2949 and 5921 elements are not aligned for TMA: the stride of operands and result is padded.
target sm_90a
precision f16
input A: f32[8205, 2949]
input B: f32[2949, 5921]

Ah, Bh = to(A, B, f16, pitch=8)
C = gemm(Ah, Bh).tile(128x256x64).cluster(2x1) >> to(f32, row, pitch=4)
return C
