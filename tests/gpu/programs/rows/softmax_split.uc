target sm_90a
input x: f32[2, 30000]
y = softmax(x * 2).passes({2, 3}).split(8)
z = log_softmax(x).passes(2).split(4)
return y, z
