# expect: UC1034 at 5:8
# expect: UC1034 at 6:10
# expect: UC1034 at 7:6
# expect: UC1034 at 8:7
target "sm_90a"
precision: f16
name 3
target
