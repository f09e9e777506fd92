target sm_90a
input x: f32[40, 24]
input t: f32[40, 24]
a = mse(x, t)
b = huber(x, t, delta=0.5)
c = smooth_l1(x, t, reduction=sum)
d = hinge(x, t)
e = kl_div(x, t * t, reduction=batchmean)
f = kl_div(x, t, log_target=true)
g = mse(x, t, reduction=none)
h = mse(x, t).split(4)
return a, b, c, d, e, f, g, h
