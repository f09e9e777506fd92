target sm_90a
input x: f32[2, 6, 15, 18]
input l: f32[3, 5, 33]
input v: f32[2, 3, 8, 9, 10]
a = max_pool2d(x, 3, stride=2, padding=1)
b = max_pool2d(relu(x), [2, 4], ceil_mode=true) >> mul(2)
c = avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=true)
d = avg_pool2d(x, 2)
e = max_pool1d(l, 3, stride=1, padding=1, dilation=3)
f = avg_pool1d(l, 5, stride=1, padding=2, count_include_pad=false)
g = max_pool3d(v, 3, stride=2, padding=1)
h = avg_pool3d(v, 3, stride=2, padding=1, divisor_override=8)
return a, b, c, d, e, f, g, h
