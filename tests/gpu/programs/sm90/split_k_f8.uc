target sm_90a
precision f16
input a: f8e4m3[128, 4096]
input w: f8e4m3[192, 4096]
input s: f32[1]
c = linear(a, w).tile(64x64x128).schedule(pingpong).split(4) >> mul(s) >> to(f16)
return c
