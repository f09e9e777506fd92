# expect: UC1032 at 2:10
return y + z
