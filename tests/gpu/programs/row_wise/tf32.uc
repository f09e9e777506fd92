target sm_90a
precision tf32
input a: f32[300, 160]
param w: f32[512, 160]
param c: f32[512]
y = linear(a, w).tile(128x256x32).cluster(1x2).schedule(cooperative) >> bias(c) >> softmax()
return y
