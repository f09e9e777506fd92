# Every listed tile, over edges in all directions.
target sm_90a
precision strict
input a: f64[330, 200]
input b: f64[280, 200]
c = linear(a, b).backend(cutlass2).math(f64)
     .tile({128x128x16, 256x64x16, 64x256x16, 128x64x16, 64x128x16, 64x64x16}) >> to(f64)
return c
