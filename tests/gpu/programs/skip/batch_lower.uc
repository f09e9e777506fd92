# Triangles of a batch, one of them seen transposed.
target sm_90a
precision f16
input A: bf16[3, 520, 520] @upper
input B: bf16[3, 520, 264] 
C = gemm(transpose(A), B).tile(128x128x64).cluster(2x2).schedule(cooperative).skip(zeros) >> silu() >> to(f32)
return C
