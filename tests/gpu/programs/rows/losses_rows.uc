target sm_90a
input x: f32[40, 24]
input t: f32[40, 24]
input u: f32[40, 24]
a = triplet_margin(x, t, u)
b = triplet_margin(x, t, u, p=3, swap=true, reduction=sum)
c = cosine(x, t)
d = cosine(x, t, reduction=none)
return a, b, c, d
