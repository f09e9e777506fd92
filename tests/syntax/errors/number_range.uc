# expect: UC1006 at 6:9
# expect: UC1006 at 7:9
# expect: UC1006 at 8:9
# expect: UC1006 at 9:15
# expect: UC1006 at 10:14
a = x * 1234567890123456789
b = x * 1e400
c = x * 1e-400
d = f(x).tile(1234567890123456789x2)
input q: f32[99999999999999999999]
