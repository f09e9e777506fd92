# Heads of 128
target sm_90a
input q: bf16[2, 3, 192, 128]
input k: bf16[2, 3, 320, 128]
input v: bf16[2, 3, 320, 128]
o = attention(q, k, v) >> to(f32)
return o
