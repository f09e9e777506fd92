# expect: UC1034 at 7:8
# expect: UC1034 at 8:10
# expect: UC1034 at 9:1
# expect: UC1034 at 11:8
# expect: UC1034 at 12:6
# expect: UC1034 at 13:7
target "sm_90a"
precision: f16
precision = f16
precision = relu(x)
target "sm 90"
name 3
target
