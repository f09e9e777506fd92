target sm_90a
input a: i8[144, 3000] @strides(3008, 1)
input w: i8[80, 3000] @strides(3008, 1)
c = linear(a, w).tile(64x64x128).schedule(pingpong).split({3, 24}) >> to(i32)
return c
