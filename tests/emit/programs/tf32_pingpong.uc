target sm_90a
precision tf32
input x: f32[512, 1024]
param W: f32[2048, 1024] = "w"

y = linear(x, W).tile(128x128x32).cluster(1x2).schedule(pingpong) >> mish()
return y
