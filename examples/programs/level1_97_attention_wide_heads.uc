# Attention whose heads have 1024 features                         KernelBench L1/97
# Such heads do not fit one block of a fused kernel. 512 keys do fit a cluster of two tiles, so that the softmax
# stands in the epilogue and the scores are never written.
target sm_90a
precision f16
input Q: f32[32, 32, 512, 1024]
input K: f32[32, 32, 512, 1024]
input V: f32[32, 32, 512, 1024]

q, k, v = to(Q, K, V, f16)
p = gemm(q, transpose(k)).tile(128x256x64).cluster(1x2) >> mul(0.03125) >> softmax() >> to(f16)
o = gemm(p, v).tile(128x256x64).cluster(2x1) >> to(f32)
return o
