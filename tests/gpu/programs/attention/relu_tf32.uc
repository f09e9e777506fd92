# No softmax, a factor a head, a mask, tf32
target sm_90a
precision tf32
input q: f32[2, 4, 64, 32]
input k: f32[2, 4, 96, 32]
input v: f32[2, 4, 96, 32]
input seen: bool[2, 1, 1, 96]
input c: f32[4, 1, 1]
o = attention(q, k, v, mask=seen, scale=1, norm=none, score=relu(it) * c)
return o
