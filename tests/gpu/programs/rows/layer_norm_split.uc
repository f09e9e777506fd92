target sm_90a
input x: f32[2, 8, 32, 32]
param g: f32[8, 32, 32]
param b: f32[8, 32, 32]
y = layer_norm(x * 2 + 100, g, b).passes({2, 3}).split(4)
return y
