# expect: UC1033 at 6:10
# expect: UC1033 at 7:7
# expect: UC1033 at 8:9
# expect: UC1033 at 9:18
# expect: UC1033 at 10:14
dim N = 1
dim M 1..8
dim K = x..8
dim L = 1..8 step
dim Q = 1..8 by 2
