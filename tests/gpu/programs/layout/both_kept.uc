target sm_90a
precision f16
input x: f32[2, 40, 12, 10]
s, y = relu(x) >> store(f32) >> to(f16, nhwc)
return s, y
