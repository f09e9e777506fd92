# expect: UC1021 at 8:18
# expect: UC1021 at 9:13
# expect: UC1021 at 10:7
# expect: UC1021 at 11:11
# expect: UC1021 at 12:5
# expect: UC1021 at 14:6
# expect: UC1021 at 15:9
y = linear(x, W).stages
z = gemm(x, W.T)
a = x.5
b = x.t() + 1
c = x.T + 1
d = f(x)
    .
e = f(x.shape)
