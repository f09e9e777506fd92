# expect: UC1015 at 9:1
# expect: UC1015 at 10:1
# expect: UC1015 at 11:1
# expect: UC1015 at 12:1
# expect: UC1015 at 13:1
# expect: UC1015 at 14:3
# expect: UC1015 at 15:6
# expect: UC1015 at 16:1
gemm(x, w)
y
x: f32[4]
3 + x
(a, b) = f(x)
y == f(x)
a, b == f(x)
@col
return y
