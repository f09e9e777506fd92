# expect: UC1022 at 14:15
# expect: UC1022 at 15:15
# expect: UC1022 at 16:15
# expect: UC1022 at 17:15
# expect: UC1022 at 18:17
# expect: UC1022 at 19:19
# expect: UC1022 at 20:15
# expect: UC1022 at 21:23
# expect: UC1022 at 22:21
# expect: UC1022 at 23:18
# expect: UC1022 at 24:15
# expect: UC1022 at 25:15
# expect: UC1022 at 26:19
a = f(x).tile(128*256)
b = f(x).tile(128 x 256 x 64)
c = f(x).tile(m=64)
n = f(x).tile(m=64 + 1)
d = f(x).stages(-1)
e = f(x).schedule("pingpong")
g = f(x).tile([64x64])
h = f(x).tile({64x64, (1)})
i = f(x).tile(64x64 64)
k = f(x).cluster((2, 1))
l = f(x).tile([128, 256, 64])
m = f(x).tile([128, 256 64])
j = f(x).stages(1 + 1)
