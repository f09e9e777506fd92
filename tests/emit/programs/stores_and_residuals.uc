target sm_90a
precision f16
input x: f32[1024, 4096]
input r: f32[1024, 4096]
input s: f32[1024, 1]
input q: f16[1024, 4096]
param W: f32[4096, 4096] = "w"
param b: f32[4096] = "b"
param g: f32[4096] = "g"

xh = to(x, f16)
h, y = linear(xh, prepack(W, f16)).tile(128x128x64).cluster(2x1).schedule(cooperative)
     >> bias(b) >> residual(r) >> mul(g) >> mul(s) >> add(q) >> store(f16) >> silu() >> add(r) >> to(f32)
return h, y
