# Two blocks load for one another; more groups than a warp has lanes; a residual, a bias and sums beside.
target sm_90a
precision bf16
input A: bf16[2900, 512]
input B: bf16[40, 512, 264]
input b: f32[264]
input r: f32[2900, 264]
input c: i32[40]
ends = index(c, 0) * 70 + c * 8
C, D = grouped_gemm(A, B, ends).tile(128x128x64).cluster(2x1).schedule(cooperative) >> bias(b) >> store(bf16) >> silu() >> residual(r) >> to(f32)
return C, D
