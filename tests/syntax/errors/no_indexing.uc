# expect: UC1030 at 5:8
# expect: UC1030 at 6:6
# expect: UC1030 at 6:12
# expect: UC1030 at 7:9
y = f(x[0], w)
z = x[:, 0][1] + 1
a = f(x)[0]
