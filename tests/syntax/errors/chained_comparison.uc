# expect: UC1014 at 4:17
# expect: UC1014 at 5:12
# expect: UC1014 at 5:17
y = where(a < b < c, a, b)
z = a == b == c != d
