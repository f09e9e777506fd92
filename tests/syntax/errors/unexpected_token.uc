# expect: UC1010 at 12:12
# expect: UC1010 at 13:13
# expect: UC1010 at 14:5
# expect: UC1010 at 15:4
# expect: UC1010 at 16:7
# expect: UC1010 at 17:7
# expect: UC1010 at 18:13
# expect: UC1010 at 19:6
# expect: UC1010 at 20:7
# expect: UC1010 at 21:12
# expect: UC1010 at 22:5
y = gemm(x w)
z = gemm(x, , w)
a = +x
b =
c = x = y
d = (a, b)
e = f(x, dim: 3)
g = ()
h = x y
i = f(x) >>
j = [1, 2]
