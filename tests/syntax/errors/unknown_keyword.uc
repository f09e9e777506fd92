# expect: UC1017 at 4:1
# expect: UC1017 at 5:1
# expect: UC1017 at 6:1
inptu x: f32[4]
Param w: f32[4]
output y
