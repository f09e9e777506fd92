# expect: UC1009 at 4:19
# expect: UC1009 at 5:19
# expect: UC1009 at 6:7
param W: f32[4] = 'gemm.weight'
param V: f32[4] = “gemm.bias”
y = f('a, b)
