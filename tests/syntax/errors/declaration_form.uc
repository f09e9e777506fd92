# expect: UC1026 at 13:8
# expect: UC1026 at 14:9
# expect: UC1026 at 15:8
# expect: UC1026 at 16:8
# expect: UC1026 at 17:7
# expect: UC1026 at 18:10
# expect: UC1026 at 19:18
# expect: UC1026 at 20:19
# expect: UC1026 at 21:19
# expect: UC1026 at 22:17
# expect: UC1026 at 23:6
# expect: UC1026 at 24:8
input x f32[4]
input y = f32[4]
input z[4]: f32
input a, b: f32[4]
input 3: f32[4]
input c: [4]
input d: f32[4] @3
param W: f32[4] = gemm.weight
param V: f32[4] = 3
input e: f32[4] row
input
input g
