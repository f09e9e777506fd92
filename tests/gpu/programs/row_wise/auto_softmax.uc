# Which tile and cluster hold the row is chosen.
target sm_90a
precision f16
input x: f16[512, 512]
param w: f16[1024, 512]
param c: f32[1024]
y = linear(x, w) >> bias(c) >> softmax() >> to(f32)
return y
