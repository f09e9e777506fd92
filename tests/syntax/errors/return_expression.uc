# expect: UC1032 at 2:8
return f(x)
