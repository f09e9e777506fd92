target sm_90a
input x: f32[3, 20000]
y = sum(x * x, dim=1).split({2, 8}).threads({64, 256})
return y
