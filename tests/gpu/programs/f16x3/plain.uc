target sm_90a
input a: f32[200, 320]
input b: f32[320, 264]
c = gemm(a, b).math(f16x3)
return c
