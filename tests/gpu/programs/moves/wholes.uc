target sm_90a
precision f16
input n: i64[50, 8]
input m: i32[50, 8]
input d: f64[50, 8]
a = add(n, m)
b = mul(d, 3.0)
c = maximum(n, 0)
e = where(n < m, n, 5)
f = exp(d)
return a, b, c, e, f
