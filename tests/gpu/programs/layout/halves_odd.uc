target sm_90a
input x: f16[3, 71, 9, 13]
y = to(x, nhwc)
z = to(y, bf16, row)
return y, z
