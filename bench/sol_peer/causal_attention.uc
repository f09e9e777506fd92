target sm_90a
precision tf32
input x: f32[2, 8, 1024, 64]
input y: f32[2, 8, 1024, 64]
input z: f32[2, 8, 1024, 64]
r = attention(x, y, z, causal=true)
return r
