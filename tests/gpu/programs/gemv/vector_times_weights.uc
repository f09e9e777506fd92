# One row times weights that lie along K: what decoding one token is.
target sm_90a
precision f16
input x: f16[1, 4096]
input w: f16[4096, 4096]
input v: f32[4096]
y = linear(x, w).backend(cuda) >> bias(v) >> silu() >> to(f16)
return y
