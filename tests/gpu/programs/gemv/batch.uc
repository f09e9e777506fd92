target sm_90a
precision tf32
input a: f32[6, 300, 512]
input b: f32[6, 512, 4]
input v: f32[6, 1, 4]
y = gemm(a, b).backend(cuda).split({1, 2}) >> add(v) >> relu()
return y
