# expect: UC1005 at 10:9
# expect: UC1005 at 11:9
# expect: UC1005 at 12:10
# expect: UC1005 at 13:15
# expect: UC1005 at 14:15
# expect: UC1005 at 15:15
# expect: UC1005 at 16:9
# expect: UC1005 at 17:9
# expect: UC1005 at 18:9
a = x * 0x10
b = x * 1.0f
c = f(x, 1_000)
d = f(x).tile(64X64)
e = f(x).tile(128x)
g = f(x).tile(128x0)
h = x * 1e
i = x * 1.2.3
j = x * 0b101
