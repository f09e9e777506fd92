target sm_90a
input A: bf16[16, 512, 256]
input B: bf16[16, 256, 1024]

C = gemm(A, B).tile(128x128x64).cluster(1x1).schedule(pingpong) >> relu()
return C
