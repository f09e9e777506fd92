target sm_90a
input x: f32[64, 128, 56]
input w: f32[128, 1]

y = sigmoid(x * w + 1.0) >> mul(2.0)
return y
