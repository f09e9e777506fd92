# Weights that lie along N.
target sm_90a
precision bf16
input x: bf16[8, 1536]
input w: bf16[1536, 1368]
input r: bf16[8, 1368]
y = gemm(x, w).backend(cuda).split({1, 6}) >> residual(r) >> gelu() >> to(bf16)
return y
