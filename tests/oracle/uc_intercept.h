// No include guard: the batch takes it before each emitted host half. CUTLASS's own headers are all read by
// then.
#define to_underlying_arguments(arguments, workspace) \
  to_underlying_arguments(uc_oracle::seen<Kernel>(arguments), workspace)
