# Warpgroups, values in slices
target sm_90a
input q: f16[1, 2, 200, 320]
input k: f16[1, 2, 150, 320]
input v: f16[1, 2, 150, 320]
o = attention(q, k, v).tile(128x32).stages(2).schedule(warp_specialized) >> to(f32)
return o
