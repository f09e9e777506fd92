# Mamba-2: the state after the last step                           KernelBench L3/49
# S = sum over t of exp(what A decays after t) X[t] B[t]^T: one product over time, whose terms differ by many orders of magnitude:
# three TF32 products keep small results. TF32 is multiplied along K in memory, so X is laid out so first; what depends on params
# alone is packed once.
target sm_90a
input X: f32[2048, 128, 8, 64]
param A: f32[2048, 128, 8] = "A"
param B: f32[2048, 128, 8, 16] = "B"

d = prepack(cumsum(A, dim=1, reverse=true, exclusive=true))
Bd = prepack(B * exp(unsqueeze(d, 3)))
Bt = prepack(permute(Bd, [0, 2, 3, 1]))
Xt = to(permute(X, [0, 2, 3, 1]), row)
S = gemm(Xt, transpose(Bt)).tile(64x64x16).math(tf32x3)
return S
