target sm_90a
input x: bf16[10, 640]
param g: bf16[640]
y = layer_norm(x, g)
z = softmax(x)
s = sum(x, dim=0)
return y, z, s
