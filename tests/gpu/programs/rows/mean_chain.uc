target sm_90a
input x: f32[9, 20, 33]
input w: f32[33]
y = mean(x, dim=1) >> mul(w) >> relu()
z = mean(abs(x), dim=2, keepdim=true) >> add(1)
return y, z
