# expect: UC1032 at 2:7
return
