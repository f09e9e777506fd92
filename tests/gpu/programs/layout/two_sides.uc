target sm_90a
input x: f32[70, 90]
input p: f32[90]
input q: f32[70, 1]
input z: f32[90, 70]
y = mul(transpose(z), x) >> bias(p) >> mul(q)
a = add(transpose(x), z) >> mul(transpose(x))
c = add(transpose(z), p)
return y, a, c
