target sm_90a
input x: f32[3, 24, 10, 14]
param g: f32[24]
param b: f32[24]
a = group_norm(x, 6, g, b)
c = group_norm(x, 2).passes(2)
d = instance_norm(x, g, b)
return a, c, d
