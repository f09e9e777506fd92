# The same program for another target: check and compile alone here, run where such a GPU is.
target sm_80
precision f16
input x: f32[192, 128]
param w: f32[256, 128]
param v: f32[256]
xh = to(x, f16)
y = linear(xh, prepack(w, f16)) >> bias(v) >> gelu() >> to(f32)
return y
