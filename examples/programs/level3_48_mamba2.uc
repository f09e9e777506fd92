# Mamba-2: the state-space scan as attention without softmax       KernelBench L3/48
# Y[i] = sum over j <= i of (C[i] . B[j]) exp(cs[i] - cs[j]) X[j]. The differences of cs are large where j > i, and exp of them
# overflows: causal selects those away. The others differ by many orders of magnitude and cancel in the sum: one TF32 product
# loses the small results, three keep them.
target sm_90a
input X: f32[2048, 128, 8, 64]
param A: f32[2048, 128, 8] = "A"
param B: f32[2048, 128, 8, 16] = "B"
param C: f32[2048, 128, 8, 16] = "C"

cs = prepack(cumsum(A, dim=1))
ct = permute(cs, [0, 2, 1])
Y = attention(C, B, X, layout=bshd, causal=true, scale=1, norm=none,
              score=it * exp(unsqueeze(ct, 3) - unsqueeze(ct, 2)))
     .tile(128x128).math(tf32x3)
return Y
