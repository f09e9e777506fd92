# A lies along M, and the result by columns.
target sm_90a
precision f16
input a: f16[2056, 640] @col
input b: f16[640, 2]
y = gemm(a, b).backend(cuda).split(4) >> to(f16, col)
return y
