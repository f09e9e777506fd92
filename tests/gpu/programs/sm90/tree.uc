# Values stored on the way are used again later; several residuals, vectors and a number.
target sm_90a
precision f16
input a: f16[512, 256]
input w: f16[768, 256]
input r: f32[512, 768]
input q: f16[512, 768]
input v: f32[768]
input g: f16[768]
input s: f32[512, 1]
input n: f32[1]
h, p, y = linear(a, w).tile(128x128x64).schedule(cooperative)
     >> bias(v) >> residual(r) >> store(f16) >> mul(g) >> mul(n) >> store(f32) >> silu() >> mul(s) >> add(q) >> to(f16)
return h, p, y
