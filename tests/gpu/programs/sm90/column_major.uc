# Stored by columns: the transpose is computed, rows and columns of the chain exchanged.
target sm_90a
precision f16
input a: f16[320, 512]
input w: f16[448, 512]
input v: f32[448]
input s: f32[320, 1]
input r: f16[320, 448] @col
c = linear(a, w).tile(128x64x64) >> bias(v) >> mul(s) >> residual(r) >> to(f16, col)
return c
