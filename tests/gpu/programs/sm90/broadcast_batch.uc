# One matrix for all of a batch, on either side.
target sm_90a
precision f16
input a: f16[200, 256]
input b: f16[6, 256, 136]
input p: f16[6, 136, 256]
input v: f32[6, 1, 136]
x = gemm(a, b) >> add(v) >> to(f32)
y = gemm(p, transpose(a)) >> to(f16)
return x, y
