# A mask, a score with places, a residual, two results, element by element; one row sees nothing
target sm_90a
input q: bf16[2, 2, 20, 19]
input k: bf16[2, 2, 33, 19]
input v: bf16[2, 2, 33, 21]
input t: f32[20, 1]
input r: f32[2, 2, 20, 21]
seen = t > 0
o, p = attention(q, k, v, mask=seen, score=it - 0.1 * to(index(it, dim=3), f32)).tile(32x32).stages(1) >> residual(r) >> store(f32) >> silu() >> to(f32)
return o, p
