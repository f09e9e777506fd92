target sm_90a
precision tf32
input x: f32[1024, 1024]
y = relu(x)
z = y + transpose(x)
return z
