target sm_90a
precision f16
input x: i64[30, 7]
input y: i64[12, 7]
input s: i8[5, 33]
input d: f64[2, 33]
input e: f64[4, 33]
a = concat(x, y)
b = concat(s, s) >> to(i8)
c = concat(d, e) >> mul(3.0)
return a, b, c
