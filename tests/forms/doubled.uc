# The program of test_dispatch.py that runs: a kernel of its own for views that are not contiguous.
target sm_90a
precision strict
dim m = 1..512
dim n = 4..1024 step 4
input x: f32[4, m, n]
y = mul(transpose(slice(x, dim=0, start=1, end=3), dims=[1, 2]), 2.0)
return y
