# Numbers that undo the scales of both operands are applied to the sums.
target sm_90a
precision f8
input a: f8e4m3[512, 1024]
input w: f8e4m3[768, 1024]
input sa: f32[1]
input sw: f32[1]
input v: f32[768]
c = linear(a, w).tile(64x128x128).cluster(2x1).schedule(pingpong) >> mul(sa) >> mul(sw) >> bias(v) >> to(bf16)
return c
