# A as it lies transposed, tiles of 256 columns, clusters along N; ends that are given, of any order.
target sm_90a
precision f16
input A: f16[256, 648]
input B: f16[5, 520, 256]
input c: i32[5]
e = c * 80
C = grouped_gemm(transpose(A), transpose(B), e).tile(128x256x64).cluster(1x2).schedule(cooperative) >> mul(0.5) >> to(f16)
return C
