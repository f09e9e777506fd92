target sm_90a
input x: f64[2, 40, 9, 14]
input n: i64[2, 33, 9, 7]
y = to(x, nhwc)
z = to(y, row)
a = to(n, nhwc)
b = to(a, row)
return y, z, a, b
