# expect: UC1031 at 3:1
return y
return z
