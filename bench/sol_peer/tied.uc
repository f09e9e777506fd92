target sm_90a
precision tf32
input x: f32[64, 1024]
input W: f32[1024, 1024]
y = linear(x, W) >> relu()
z = linear(y, W)
return z
