# expect: UC1031 at 4:1
y = f(x)
return y
z = g(y)
return z
