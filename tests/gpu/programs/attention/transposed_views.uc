# Features are not contiguous: keys as columns
target sm_90a
input q: f16[2, 2, 64, 64]
input kt: f16[2, 2, 64, 96]
input v: f16[2, 2, 96, 64]
o = attention(q, transpose(kt), v) >> to(f32)
return o
