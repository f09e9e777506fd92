target sm_90a
input x: f32[2, 6, 14, 18]
input n: f16[2, 16, 12, 8] @nhwc
a = adaptive_avg_pool(x)
b = adaptive_avg_pool(x, output_size=[7, 6]) >> relu()
c = adaptive_max_pool(x, output_size=[2, 3])
d = adaptive_avg_pool(n)
e = max_pool2d(n, 2)
return a, b, c, d, e
