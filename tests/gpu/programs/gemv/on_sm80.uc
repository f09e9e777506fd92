target sm_80
precision f16
input x: f16[4, 3072]
input w: f16[1024, 3072]
y = linear(x, w).backend(cuda).split({1, 4}) >> to(f16)
return y
