# expect: UC1020 at 7:14
# expect: UC1020 at 8:15
# expect: UC1020 at 9:20
# expect: UC1020 at 10:21
# expect: UC1020 at 11:15
# expect: UC1020 at 12:9
y = gemm(x, w,)
z = f(x, [1, 2,])
a = f(x).tile(64x64,)
b = f(x).tile({64x64,})
input q: f32[4,]
return y,
