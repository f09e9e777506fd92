# expect: UC1008 at 4:19
# expect: UC1008 at 5:7
# expect: UC1008 at 6:10
param W: f32[4] = "gemm.weight
y = f("a)
z = cuda("""source
return z
