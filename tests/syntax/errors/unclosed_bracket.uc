# expect: UC1011 at 7:20
# expect: UC1011 at 8:14
# expect: UC1011 at 9:12
# expect: UC1011 at 10:15
# expect: UC1011 at 11:20
# expect: UC1011 at 12:29
input x: f32[64, 64
y = gemm(x, w
z = relu((y
s, t = f([1, 2
a = g(x).tile(64x64
b = g(x).tile({64x64, 128x64
return z
