# expect: UC1019 at 4:7
# expect: UC1019 at 6:5
# expect: UC1019 at 7:16
y = a +
z = a
    + b
w = gemm(x, w) \
    .tile(64x64)
return w
