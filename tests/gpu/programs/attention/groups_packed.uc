# Warpgroups, views of one product
target sm_90a
input qkv: f16[2, 500, 576]
q, k, v = unbind(reshape(qkv, [2, 500, 3, 2, 96]), dim=2)
o = attention(q, k, v, layout=bshd, causal=true).tile(128x128).stages(2).schedule(warp_specialized) >> to(f16)
y = reshape(o, [2, 500, 192])
return y
