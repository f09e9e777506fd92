# Attention over the pixels of an image, then x + ... and layer norm       KernelBench L3/31
# Channels lie before pixels: x is read through a view, and the last product stores column by column, which is the image again.
target sm_90a
precision f16
input x: f32[2, 128, 128, 128]
param Wqkv: f32[384, 128] = "attn.in_proj_weight"
param bqkv: f32[384] = "attn.in_proj_bias"
param Wo: f32[128, 128] = "attn.out_proj.weight"
param bo: f32[128] = "attn.out_proj.bias"
param g: f32[128] = "norm.weight"
param e: f32[128] = "norm.bias"

pixels = permute(reshape(x, [2, 128, 16384]), [0, 2, 1])
xh = to(pixels, f16, row)
qkv = linear(xh, prepack(Wqkv, f16)).tile(128x128x64) >> bias(bqkv) >> to(f16)
q, k, v = unbind(reshape(qkv, [2, 16384, 3, 4, 32]), dim=2)
o = attention(q, k, v, layout=bshd).tile(128x128) >> to(f16)
n = linear(reshape(o, [2, 16384, 128]), prepack(Wo, f16))
     .tile(128x128x64)
     >> bias(bo) >> residual(pixels) >> layer_norm(g, e, eps=1e-5) >> to(f32, col)
y = reshape(permute(n, [0, 2, 1]), [2, 128, 128, 128])
return y
