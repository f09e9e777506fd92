# Slices that do not divide K, the last one beyond its end; odd M and N; three matrices of a batch.
target sm_90a
precision f16
input a: f16[3, 100, 1000]
input b: f16[3, 1000, 136]
input v: f32[136]
c = gemm(a, b).tile(64x64x64).schedule(pingpong).split(5) >> add(v) >> gelu() >> to(f16)
return c
