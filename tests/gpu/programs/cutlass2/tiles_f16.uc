# Every listed tile, over edges in all directions.
target sm_90a
precision f16
input a: f16[330, 200]
input b: f16[280, 200]
c = linear(a, b).backend(cutlass2).math(f16)
     .tile({128x256x32, 256x128x32, 128x128x32, 256x64x32, 64x256x32, 128x64x32,
            64x128x32, 64x64x32, 128x256x64, 256x128x64, 128x128x64, 128x64x64,
            64x128x64, 64x64x64}) >> to(f32)
return c
