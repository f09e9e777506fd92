target sm_90a
input x: i32[12, 77]
input z: f64[9, 130]
input b: bool[6, 50]
a = sum(x, dim=1)
c = sum(z, dim=1)
d = sum(b, dim=1)
e = prod(z, dim=0)
return a, c, d, e
