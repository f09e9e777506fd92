# FMA units, rows by rows and columns by columns in one batch each.
target sm_90a
precision strict
input a: f32[3, 130, 70]
input b: f32[3, 70, 67]
c = gemm(a, b).math(f32).backend(simt)
d = gemm(transpose(b), transpose(a)).math(f32).backend(simt)
return c, d
