# Layer norm over three dimensions of few, large samples           KernelBench L1/40
# 16 samples cannot fill the GPU: 64 blocks share each one's statistics, and a second launch normalises.
target sm_90a
input x: f32[16, 64, 256, 256]
param w: f32[64, 256, 256] = "ln.weight"
param b: f32[64, 256, 256] = "ln.bias"

m, v = mean_var(x, dim=[1, 2, 3], keepdim=true).split(64).threads(1024).vector(4)
y = ((x - m) * rsqrt(v + 1e-5) * w + b).vector(4)
return y
