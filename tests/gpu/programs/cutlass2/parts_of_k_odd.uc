# Parts of K in a batch whose sizes are odd, more parts than divide its steps.
target sm_90a
precision strict
input a: f32[2, 37, 333]
input b: f32[2, 333, 41]
c = gemm(a, b).math(f32).backend(simt).tile(64x64x8).scheduler(split_k).split(10)
return c
