# expect: UC1007 at 4:9
# expect: UC1007 at 5:9
# expect: UC1007 at 6:15
a = x * 007
b = x * 00.5
c = f(x).tile(0128x064)
d = f(x, 0, 0.5)
