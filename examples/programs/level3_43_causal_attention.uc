# Causal self-attention of a small GPT                             KernelBench L3/43
# Four launches; q, k and v are views of one product.
target sm_90a
precision f16
input x: f32[128, 512, 768]
param Wqkv: f32[2304, 768] = "c_attn.weight"
param bqkv: f32[2304] = "c_attn.bias"
param Wp: f32[768, 768] = "c_proj.weight"
param bp: f32[768] = "c_proj.bias"

xh = to(x, f16)
qkv = linear(xh, prepack(Wqkv, f16)).tile(128x256x64).cluster(2x1) >> bias(bqkv) >> to(f16)
q, k, v = unbind(reshape(qkv, [128, 512, 3, 8, 96]), dim=2)
o = attention(q, k, v, layout=bshd, causal=true).tile(128x128) >> to(f16)
y = linear(reshape(o, [128, 512, 768]), prepack(Wp, f16))
     .tile(128x256x64).cluster(2x1)
     >> bias(bp) >> to(f32)
return y
