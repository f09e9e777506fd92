# Bands of tiles narrower than the problem, along both sides.
target sm_90a
input a: f16[700, 64]
input b: f16[64, 900]
c = gemm(a, b).backend(cutlass2).tile(64x64x64).swizzle(3).raster(along_m) >> to(f32)
d = gemm(a, b).backend(cutlass2).tile(64x64x64).swizzle(4).raster(along_n) >> to(f32)
return c, d
