# problem: matmul:m=4096,n=4096,k=4096,dtype=f16,fill=normal
target sm_90a
input A: f16[4096, 4096]
input B: f16[4096, 4096]

C = gemm(A, B).tile(128x256x64).cluster(2x1).schedule(cooperative).swizzle(8).raster(along_n)
return C
