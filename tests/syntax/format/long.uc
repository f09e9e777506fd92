short = gemm(a, b).tile(128x256x64) >> bias(c)
exactly_one_hundred_columns = gemm(aaaaaaaaaaaa, bbbbbbbbbbbb).tile(128x256x64).stages(4) >> to(f16)
exactly_one_hundred_columns_ = gemm(aaaaaaaaaaaa, bbbbbbbbbbbb).tile(128x256x64).stages(4) >> to(f16)
q = some_operator_with_a_long_name(first_argument, second_argument, third_argument, fourth=[1, 2, 3, 4, 5], fifth=6)
r = outer(inner_one(first_argument, second_argument), inner_two(third_argument, fourth_argument, fifth_argument), last)
s = first_operand * second_operand + third_operand * fourth_operand + fifth_operand * sixth_operand + seventh_one
t = (first_operand * second_operand + third_operand * fourth_operand).vector(4).threads(256).passes(1).rows_per_block(16)
u = gemm(a, b).tile(128x256x64).cluster(2x1).stages(auto).schedule(cooperative).scheduler(persistent).swizzle(8).raster(along_m).align(8)
v = x >> bias(some_bias_vector) >> mul(some_scale_vector) >> gelu(tanh) >> residual(some_residual_tensor) >> clamp(0.0, 6.0) >> to(f16)
w = x >> map(where(it > some_threshold_value, it * some_scale_vector, it / some_other_scale_vector) + some_bias)
z = cuda("""first line
second line""", inputs=[a, b], out=f32[4]).k(1)
negated = -(first_operand * second_operand ** third_operand) ** f(fourth_operand, fifth_operand, sixth_operand, x)
