# Where an element lies counts before its row meets.
target sm_90a
precision f16
input a: f16[256, 64]
input b: f16[64, 256]
y = gemm(a, b).tile(128x128x64).cluster(1x2).schedule(cooperative) >> mul(0.125) >> tril() >> softmax() >> to(f32)
return y
