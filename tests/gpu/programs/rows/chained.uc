target sm_90a
input x: f32[10, 640]
input r: f32[10, 640]
param g: f32[640]
y = layer_norm(x + r, g) >> softmax() >> mul(3)
z, s = softmax(x) >> store(f32) >> sum(it * it, dim=1)
t = relu(x) >> rms_norm(g) 
return y, z, s, t
