# No extent is a multiple of anything: single elements through registers, a residual and a bias as odd.
target sm_90a
precision f16
input a: f16[77, 101]
input b: f16[101, 91]
input r: f16[77, 91]
input v: f32[91]
c = gemm(a, b).backend(cutlass2) >> bias(v) >> gelu() >> residual(r) >> to(f16)
return c
