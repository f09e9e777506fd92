# Every listed tile, over edges in all directions.
target sm_90a
precision tf32
input a: f32[330, 200]
input b: f32[280, 200]
c = linear(a, b).backend(cutlass2).math(tf32)
     .tile({128x256x16, 256x128x16, 128x128x16, 256x64x16, 64x256x16, 128x64x16,
            64x128x16, 64x64x16, 128x256x32, 256x128x32, 128x128x32, 128x64x32,
            64x64x32}) >> to(f32)
return c
