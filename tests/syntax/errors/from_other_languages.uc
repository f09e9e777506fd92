# expect: UC1034 at 22:7
# expect: UC1034 at 23:1
# expect: UC1027 at 24:16
# expect: UC1005 at 24:17
# expect: UC1027 at 25:19
# expect: UC1026 at 26:22
# expect: UC1021 at 27:13
# expect: UC1022 at 27:53
# expect: UC1024 at 27:75
# expect: UC1016 at 28:7
# expect: UC1011 at 29:11
# expect: UC1030 at 30:6
# expect: UC1018 at 31:7
# expect: UC1018 at 32:13
# expect: UC1018 at 33:7
# expect: UC1022 at 34:15
# expect: UC1022 at 34:22
# expect: UC1023 at 35:29
# expect: UC1024 at 36:23
# expect: UC1032 at 37:8
# what someone writes who never saw the language
target: sm_90a
precision = f16
input x: tensor<1024x8192xf32>
input w: f32[1024][8192]
param b: f32[8192] = matmul.bias
y = gemm(x, w.T, transpose_b=1).tile(64x64).cluster((2, 1)) >> bias(b) >> gelu
a = x if y else z
b = (x + y
c = y[:, 0:4]
d = x @ w
e = relu(y) | gelu
f = y -> relu()
g = f(x).tile(m=128, n=256)
h = gemm(x, w) >> relu() >> .tile(64x64)
i = gemm(A=x, B=w) >> (it * 2)
return {y, z}
