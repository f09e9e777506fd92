target sm_90a
precision f16
input q: f32[96, 1024, 128]
input k: f32[96, 1536, 128]

y = gemm(q, transpose(k, dims=[1, 2])) >> clamp(min=-4.0, max=4.0) >> map(it * 0.125)
return y
