# As `auto` has it: few lines, K so long that slices give every SM work.
# tolerance: 1e-3
target sm_90a
input a: f32[64, 262144]
input x: f32[262144, 1]
y = gemm(a, x)
return y
