target sm_90a
precision strict
input a: f32[4096, 4096]
input b: f32[4096, 4096]
c = linear(a, b).math(tf32x3) >> to(f32)
return c
