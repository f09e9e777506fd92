# expect: UC1015 at 2:1
.tile(64x64)
return y
