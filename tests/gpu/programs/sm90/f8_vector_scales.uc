# A scale a row of A, and a scale a row of W.
target sm_90a
precision f8
input a: f8e4m3[520, 1056]
input w: f8e4m3[784, 1056]
input sa: f32[520, 1]
input sw: f32[784]
c = linear(a, w).tile(128x128x128).cluster(1x2).schedule(cooperative) >> mul(sa) >> mul(sw) >> to(f32)
return c
