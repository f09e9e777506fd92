# ... of f32
target sm_90a
precision tf32
input q: f32[1, 2, 40, 528]
input k: f32[1, 2, 50, 528]
input v: f32[1, 2, 50, 528]
o = attention(q, k, v) 
return o
