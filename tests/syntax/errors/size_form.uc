# expect: UC1027 at 11:14
# expect: UC1027 at 12:14
# expect: UC1027 at 13:14
# expect: UC1027 at 14:17
# expect: UC1027 at 15:13
# expect: UC1027 at 16:16
# expect: UC1027 at 17:14
# expect: UC1027 at 18:14
# expect: UC1027 at 19:17
# expect: UC1027 at 20:23
input a: f32[N*4]
input b: f32[128x64]
input c: f32[-1, 4]
input d: f32[4, :]
input e: f32(4, 4)
input g: f32[4][4]
input h: f32[]
input i: f32[4.0]
input j: f32[4, N + 1]
y = cuda("s", out=f32[4 * 4])
