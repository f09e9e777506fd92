// count_nonzero: how many elements are not zero.
#include <span>

#include "ops/detail/parts.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

struct Count {
  Compute compute;
  const Attrs& attrs;
  int64_t operator()(Floats row) const { return of(row); }
  int64_t operator()(Wholes row) const { return of(row); }

 private:
  template <class Row>
  static int64_t of(Row row) {
    return std::ranges::count_if(row, [](auto value) { return value != 0; });
  }
};

std::vector<NodeId> row_count(ScalarBuilder& b, RowNodes in, const Program&, const Op&) {
  ScalarBuilder whole = b.whole();
  std::vector<NodeId> out;
  for (const NodeId x : in) out.push_back(whole.across(Combine::sum, b.call("ne", {x, b.constant(0)})));
  return out;
}

constexpr AtenImport kAten[] = {{"aten.count_nonzero.default", import_reduction<"count_nonzero">},
                                {"aten.count_nonzero.dim_IntList", import_reduction<"count_nonzero">}};
constexpr std::string_view kExamples[] = {UC_ROWS_EXAMPLE("count_nonzero(relu(x), dim=1)"),
                                          UC_ROWS_EXAMPLE("count_nonzero(x > 0, dim=[0, 2], keepdim=true)")};

constexpr OpSpec kRows[] = {
    {.name = "count_nonzero",
     .summary = "how many elements over the dimensions are not zero (NaN is not), as i64",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::index>,
     .row_scalar = row_count,
     .reference = reduce<Count>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kAten,
     .examples = kExamples}};

}  // namespace

std::span<const OpSpec> count_nonzero_rows() { return kRows; }

}  // namespace uc::ops
