# problem: matmul:m=8192,n=8192,k=8192,dtype=f16,fill=normal
target sm_90a
input A: f16[8192, 8192]
input B: f16[8192, 8192]

C = gemm(A, B).tile(128x256x64).cluster(2x1).schedule(cooperative).swizzle(8).raster(along_n)
return C
