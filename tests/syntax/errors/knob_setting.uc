# expect: UC1022 at 10:15
# expect: UC1022 at 11:15
# expect: UC1022 at 12:15
# expect: UC1022 at 13:17
# expect: UC1022 at 14:19
# expect: UC1022 at 15:15
# expect: UC1022 at 16:23
# expect: UC1022 at 17:21
# expect: UC1022 at 18:19
a = f(x).tile(128*256)
b = f(x).tile(128 x 256 x 64)
c = f(x).tile(m=64)
d = f(x).stages(-1)
e = f(x).schedule("pingpong")
g = f(x).tile([64, 64])
h = f(x).tile({64x64, (1)})
i = f(x).tile(64x64 64)
j = f(x).stages(1 + 1)
