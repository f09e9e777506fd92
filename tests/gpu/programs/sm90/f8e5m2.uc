target sm_90a
input a: f8e5m2[256, 544]
input w: f8e5m2[320, 544]
c = linear(a, w) >> gelu() >> to(f16)
return c
