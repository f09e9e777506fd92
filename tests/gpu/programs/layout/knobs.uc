target sm_90a
input x: f32[2, 64, 16, 16]
y = to(x, nhwc).vector({1, 2, 4}).threads({64, 256, 512})
return y
