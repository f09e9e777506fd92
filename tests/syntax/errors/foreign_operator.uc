# expect: UC1018 at 14:7
# expect: UC1018 at 15:7
# expect: UC1018 at 15:11
# expect: UC1018 at 16:3
# expect: UC1018 at 17:3
# expect: UC1018 at 18:13
# expect: UC1018 at 19:10
# expect: UC1018 at 20:5
# expect: UC1018 at 21:10
# expect: UC1018 at 22:10
# expect: UC1018 at 24:7
# expect: UC1018 at 25:3
# expect: UC1018 at 26:10
y = x @ W + b
z = x % 2 ^ 3
a += x
b := f(x)
c = (a < b) && (b < c)
d = f(x) |> g()
e = !a
g = f(x) // a comment
h = f(x) /* another
over lines */
i = a and b
j <- f(x)
k = f(x) -> g()
