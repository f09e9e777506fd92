#include "check/attention_lowering.h"

#include <algorithm>
#include <set>
#include <utility>

#include "catalog/scalar_builder.h"
#include "check/scalar_lowering.h"

namespace uc {

bool lower_scores(const Catalog& catalog, const Program& program, const Step& step, DiagSink& diags,
                  Attention& kernel) {
  const Op& main = program[step.main];
  const Shape domain{kernel.batch(), kernel.heads(), kernel.queries(), kernel.keys()};
  kernel.score = Scalar{};
  ScalarLowering lowering(catalog, program, diags, kernel.score, domain, domain,
                          ScalarLowering::Places::known);
  ScalarBuilder builder(catalog, kernel.score, DType::f32);
  kernel.weight = builder.running();
  std::set<ValueId> wanted;
  for (const OpId id : step.prologue) {
    for (const ValueId value : program[id].out) wanted.insert(value);
  }
  for (const OpId id : step.prologue) {
    if (program[id].spec->place == Place::inner) {
      lowering.bind(program[id].out[0], kernel.weight);
    } else if (!lowering.op(id, wanted)) {
      return false;
    }
  }
  if (const auto score = operand(main, "score")) {
    const auto node = lowering.node_of(main.in[*score], main);
    if (!node) return false;
    kernel.weight = *node;
  }
  if (const auto mask = operand(main, "mask")) {
    const auto node = lowering.node_of(main.in[*mask], main);
    if (!node) return false;
    kernel.seen = *node;
  }
  return true;
}

void by_heads(Attention& kernel) {
  for (View& view : kernel.epilogue.views) {
    if (view.shape.size() == 3) {  // no heads
      view.shape.insert(view.shape.begin() + 1, 1);
      view.stride.insert(view.stride.begin() + 1, 0);
    } else if (kernel.bshd) {
      std::swap(view.shape[1], view.shape[2]);
      std::swap(view.stride[1], view.stride[2]);
    }
  }
}

}  // namespace uc
