target sm_90a
input a: i8[512, 1056]
input w: i8[400, 1056]
c = linear(a, w).tile(128x128x128).schedule(pingpong) >> to(i32)
return c
