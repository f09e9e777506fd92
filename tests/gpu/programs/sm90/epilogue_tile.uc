target sm_90a
input a: f16[640, 512]
input b: f16[512, 768]
input r: f16[640, 768]
x = gemm(a, b).tile(128x128x64).schedule(cooperative).epilogue_tile(128x64) >> residual(r) >> to(f16)
y = gemm(a, b).tile(64x192x64).schedule(pingpong).epilogue_tile(64x96) >> to(f32)
return x, y
