# B row-major: K is not contiguous, which wgmma does not take in tf32.
target sm_90a
precision tf32
input a: f32[256, 192]
input b: f32[192, 320]
c = gemm(a, b).backend(cutlass2).tile(128x128x32) >> mul(0.5) >> to(f32)
return c
