target sm_90a
precision bf16
input x: f32[300, 40]
input w: f32[7, 40]

a, b = to(x, w, bf16)
return a, b
