# Every listed tile, over edges in all directions.
target sm_90a
precision strict
input a: i8[330, 200]
input b: i8[280, 200]
c = linear(a, b).backend(cutlass2).math(i8)
     .tile({128x256x64, 256x128x64, 128x128x64, 256x64x64, 64x256x64, 128x64x64,
            64x128x64, 64x64x64, 128x128x128}) >> to(i32)
return c
