target sm_90a
precision f16
input a: i8[512, 1024]
input w: i8[384, 1024]
input sa: f32[512, 1]
input sw: f32[384]
input v: f32[384]
c = linear(a, w).tile(128x128x128).cluster(2x1).schedule(cooperative) >> to(f32) >> mul(sa) >> mul(sw) >> bias(v) >> to(f16)
return c
