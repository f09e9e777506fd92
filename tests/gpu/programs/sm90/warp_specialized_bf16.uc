# The widest tile of the schedule, most stages.
target sm_90a
precision bf16
input a: bf16[384, 1024]
input w: bf16[512, 1024]
input v: f32[512]
c = linear(a, w).tile(64x256x64).cluster(1x2).schedule(warp_specialized) >> bias(v) >> gelu() >> to(bf16)
return c
