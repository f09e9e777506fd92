# Views of one product, as L3/43 has them
target sm_90a
input qkv: f16[2, 200, 576]
q, k, v = unbind(reshape(qkv, [2, 200, 3, 2, 96]), dim=2)
o = attention(q, k, v, layout=bshd, causal=true) >> to(f16)
y = reshape(o, [2, 200, 192])
return y
