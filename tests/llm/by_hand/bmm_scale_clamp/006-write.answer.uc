target sm_90a
precision f16
input q: f32[96, 1024, 128]
input k: f32[96, 1536, 128]

qh = to(q, f16)
kh = to(k, f16)
y = gemm(qh, transpose(kh, dims=[1, 2])) >> map(it * 0.125) >> clamp(min=-4.0, max=4.0) >> to(f32)
return y
