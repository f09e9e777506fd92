# expect: UC1012 at 6:12
# expect: UC1012 at 7:14
# expect: UC1012 at 8:15
# expect: UC1012 at 9:16
# expect: UC1012 at 10:1
y = relu(x))
z = gemm(x, w]
a = f(x, [1, 2))
input q: f32[4]]
)
return y
