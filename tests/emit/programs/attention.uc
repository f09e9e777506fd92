# Attention on views of one product: causal, a mask, a score, a residual
target sm_90a
precision f16
input qkv: f16[2, 200, 576]
input seen: bool[2, 1, 1, 200]
input slope: f32[2, 1, 1]
input r: f32[2, 200, 2, 96]
q, k, v = unbind(reshape(qkv, [2, 200, 3, 2, 96]), dim=2)
o = attention(q, k, v, layout=bshd, causal=true, mask=seen, score=it - slope * to(index(it, dim=2) - index(it, dim=3), f32))
     .tile(128x64).stages(2)
     >> residual(r) >> to(f16)
return o
