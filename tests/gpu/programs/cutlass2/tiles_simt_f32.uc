# Every listed tile, over edges in all directions.
target sm_90a
precision strict
input a: f32[330, 200]
input b: f32[280, 200]
c = linear(a, b).backend(simt).math(f32)
     .tile({128x128x8, 256x128x8, 128x256x8, 128x64x8, 64x128x8, 64x64x8}) >> to(f32)
return c
