# expect: UC1033 at 8:10
# expect: UC1033 at 9:7
# expect: UC1033 at 10:9
# expect: UC1033 at 11:18
# expect: UC1033 at 12:1
# expect: UC1033 at 13:1
# expect: UC1033 at 14:14
dim N = 1
dim M 1..8
dim K = x..8
dim L = 1..8 step
dim O = 8..1
dim P = 1..7 step 8
dim Q = 1..8 by 2
