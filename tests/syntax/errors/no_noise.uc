# expect: UC1011 at 7:18
# expect: UC1012 at 9:14
# expect: UC1004 at 10:32
# expect: UC1024 at 11:9
# expect: UC1011 at 11:23
target sm_90a
input x: f32[4, 4
input w: f32[4, 4]
y = gemm(x, w]
     .tile(128x256x64 ).stages(1.)
     >> relu >> bias(b
z = relu(y)
return z
