# expect: UC1023 at 4:25
# expect: UC1023 at 6:5
# expect: UC1023 at 7:29
y = gemm(x, w) >> relu().tile(64x64).stages(3) >> to(f16)
z = gemm(x, w) >> relu()
    .tile(64x64)
a = gemm(x, w) >> relu() >> .tile(64x64)
return y
