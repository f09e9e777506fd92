# expect: UC1003 at 4:7
# expect: UC1003 at 5:7
# expect: UC1003 at 5:10
input α: f32[4]
y = f(α, größe)
return y
