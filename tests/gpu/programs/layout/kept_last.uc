target sm_90a
input x: f32[2, 64, 16, 16] @nhwc
input z: f32[2, 64, 16, 16] @nhwc
y = add(x, z) >> relu()
a = add(x, 1.0) >> to(row)
return y, a
