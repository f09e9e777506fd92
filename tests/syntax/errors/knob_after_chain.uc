# expect: UC1023 at 3:25
# expect: UC1023 at 5:5
y = gemm(x, w) >> relu().tile(64x64).stages(3) >> to(f16)
z = gemm(x, w) >> relu()
    .tile(64x64)
return y
