# Two stores of different widths, and a chain that goes on after the first.
target sm_90a
precision f16
input a: f16[96, 64]
input b: f16[64, 104]
input r: f32[96, 104]
input m: f16[96, 1]
p, q = gemm(a, b).backend(cutlass2) >> residual(r) >> store(f32) >> silu() >> mul(m) >> to(f16)
return p, q
