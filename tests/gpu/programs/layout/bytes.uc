target sm_90a
input x: i8[2, 150, 21, 17]
input u: u8[3, 128, 16, 16]
y = to(x, nhwc)
z = to(y, row)
a = to(u, nhwc)
b = to(a, row)
return y, z, a, b
