# expect: UC1004 at 5:9
# expect: UC1004 at 6:9
# expect: UC1004 at 7:9
# expect: UC1004 at 8:14
a = x * 1.
b = x + .5
c = x * 1.e5
d = f(x, eps=.5e-3)
dim N = 1..8
