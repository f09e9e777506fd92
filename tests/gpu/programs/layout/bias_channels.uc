target sm_90a
input x: f32[3, 48, 10, 14]
input c: f32[48, 1, 1]
input r: f32[3, 48, 10, 14]
y = to(x, nhwc) >> add(c) >> relu()
z = to(y, f32, row) >> add(c) >> residual(r)
return y, z
