# A block of a small GPT: attention and MLP, each behind a layer norm and beside a residual       KernelBench L3/44
# Six launches. The product after attention keeps the residual in f32 and normalises it in the same kernel: a cluster of four
# tiles holds the 768 columns.
target sm_90a
precision f16
input x: f32[128, 512, 768]
param g1: f32[768] = "ln_1.weight"
param e1: f32[768] = "ln_1.bias"
param Wqkv: f32[2304, 768] = "attn.c_attn.weight"
param bqkv: f32[2304] = "attn.c_attn.bias"
param Wp: f32[768, 768] = "attn.c_proj.weight"
param bp: f32[768] = "attn.c_proj.bias"
param g2: f32[768] = "ln_2.weight"
param e2: f32[768] = "ln_2.bias"
param Wf: f32[3072, 768] = "mlp.c_fc.weight"
param bf: f32[3072] = "mlp.c_fc.bias"
param Wd: f32[768, 3072] = "mlp.c_proj.weight"
param bd: f32[768] = "mlp.c_proj.bias"

n1 = layer_norm(x, g1, e1, eps=1e-5).threads(192).vector(4) >> to(f16)
qkv = linear(n1, prepack(Wqkv, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(bqkv) >> to(f16)
q, k, v = unbind(reshape(qkv, [128, 512, 3, 8, 96]), dim=2)
o = attention(q, k, v, layout=bshd, causal=true).tile(128x128).schedule(warp_specialized) >> to(f16)
x1, n2 = linear(reshape(o, [128, 512, 768]), prepack(Wp, f16))
     .tile(128x192x64).cluster(1x4).schedule(cooperative)
     >> bias(bp) >> residual(x) >> store(f32) >> layer_norm(g2, e2, eps=1e-5) >> to(f16)
h = linear(n2, prepack(Wf, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(bf) >> gelu(tanh) >> to(f16)
y = linear(h, prepack(Wd, f16))
     .tile(128x256x64).cluster(2x1).schedule(cooperative)
     >> bias(bd) >> residual(x1) >> to(f32)
return y
