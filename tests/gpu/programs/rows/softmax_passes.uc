target sm_90a
input x: f32[9, 3000]
y = softmax(x * 3).passes({1, 2, 3}).threads({64, 256})
return y
