#include "ops/detail/pool_type.h"

#include <fmt/format.h>

#include "catalog/diags_window.h"

namespace uc::ops {

bool check_pool_type(InferContext& context, bool mean) {
  const Value& x = context.in(0);
  if (mean ? is_floating(x.dtype) : x.dtype != DType::boolean) return true;
  context.error(kinds::pool_type, fmt::format("`{}` of {}", context.op().spec->name, name(x.dtype))).help =
      fmt::format("`{}(to({}, f32), ...)`", context.op().spec->name, x.name.empty() ? "v" : x.name);
  return false;
}

}  // namespace uc::ops
