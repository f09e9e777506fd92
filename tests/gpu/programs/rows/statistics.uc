target sm_90a
input x: f32[20, 333]
a = logsumexp(x)
b = var(x, dim=0, unbiased=true)
m, v = mean_var(x + 50, dim=1)
n = norm1(x, dim=1)
o = norm2(x, dim=[0, 1])
c = count_nonzero(relu(x), dim=1)
return a, b, m, v, n, o, c
