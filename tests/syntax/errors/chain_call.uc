# expect: UC1024 at 5:13
# expect: UC1024 at 6:13
# expect: UC1024 at 7:20
# expect: UC1024 at 8:13
y = f(x) >> relu >> to(f16)
z = f(x) >> it * 2 >> relu()
a = f(x) >> relu() * 2
b = f(x) >> 0.5
