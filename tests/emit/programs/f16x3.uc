# f32 operands, one of them contiguous along N: looked at, split, multiplied as three f16 products
target sm_90a
input x: f32[1024, 512]
input W: f32[512, 1024]
param b: f32[1024]
y = gemm(x, W).math(f16x3).tile(128x128x64).cluster(2x1).stages(4).schedule(cooperative).raster(along_m).swizzle(1)
     >> bias(b) >> silu()
return y
