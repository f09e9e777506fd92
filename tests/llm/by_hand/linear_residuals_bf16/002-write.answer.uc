target sm_90a
precision tf32
input x: bf16[4096, 5120]
input first: bf16[4096, 5120]
input second: bf16[4096, 5120]
param proj_weight: bf16[5120, 5120] = "proj.weight"
param proj_bias: bf16[5120] = "proj.bias"

y = linear(x, proj_weight) >> bias(proj_bias) >> residual(first) >> silu() >> residual(second) >> to(bf16)
return y
