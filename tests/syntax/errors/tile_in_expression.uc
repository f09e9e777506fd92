# expect: UC1028 at 3:9
# expect: UC1028 at 4:10
y = x * 128x64
z = f(x, 64x64)
