# expect: UC1029 at 4:5
# expect: UC1029 at 5:10
# expect: UC1029 at 6:8
y = "a" + x
z = f(x, "a" + x)
a = f(["a"])
