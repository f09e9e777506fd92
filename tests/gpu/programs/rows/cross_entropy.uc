target sm_90a
input x: f32[40, 24]
input z: f32[40, 24]
param w: f32[24]
t = argmax(z, dim=1)
p = softmax(z)
a = cross_entropy(x, t)
b = cross_entropy(x, t, w * w, label_smoothing=0.1)
c = cross_entropy(x, p, label_smoothing=0.2)
d = cross_entropy(x, t, reduction=none, ignore_index=3)
return a, b, c, d
