target sm_90a
input a: u8[256, 512]
input w: u8[256, 512]
c = linear(a, w).tile(128x64x128) >> relu() >> to(i32)
return c
