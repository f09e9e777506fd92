# expect: UC1025 at 5:20
# expect: UC1025 at 6:15
# expect: UC1025 at 7:8
# expect: UC1025 at 8:7
y = gemm(to(x, f16).vector(4), w).tile(64x64)
z = gemm(f(x) >> relu() >> to(f16), w)
a = f(x.transpose(0, 1))
b = (x.t() + 1) * 2
