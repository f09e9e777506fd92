# Of each tile the part of K between its first row and its last column; sizes that tiles do not divide.
target sm_90a
precision f16
input A: f32[1000, 1000] @upper
input B: f32[1000, 1000] @upper
a, b = to(A, B, f16)
C = gemm(a, b).tile(128x256x64).cluster({1x1, 2x1, 1x2}).schedule(cooperative).skip(zeros) >> triu() >> to(f32)
return C
