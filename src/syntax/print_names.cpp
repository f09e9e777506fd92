#include "syntax/print_names.h"

#include <fmt/format.h>

namespace uc::syntax {
namespace {

// `it` is the running value and `inf` a number, whatever else has that name.
std::string clean(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out += '_';
    out += letter || digit ? c : '_';
  }
  if (out.empty()) return "t";
  return out == "it" || out == "inf" ? out + "_" : out;
}

}  // namespace

PrintNames::PrintNames(const Program& program)
    : program_(program), names_(program.values.size()), uses_(program.values.size(), 0) {
  for (const Op& op : program.ops) {
    for (const ValueId in : op.in) ++uses_[in.index()];
  }
  for (const ValueId id : program.results) ++uses_[id.index()];
  for (const auto* declared : {&program.inputs, &program.params, &program.scalars}) {
    for (const ValueId id : *declared) claim(id);
  }
  for (const Step& step : program.steps) {
    if (is_inline(step)) continue;
    for (const ValueId id : step.results) claim(id);
  }
}

bool PrintNames::is_inline(const Step& step) const {
  if (step.phase != Phase::load || step.results.size() != 1) return false;
  const ValueId result = step.results[0];
  return program_[result].name.empty() && uses_[result.index()] == 1;
}

void PrintNames::claim(ValueId id) {
  std::string& name = names_[id.index()];
  if (!name.empty()) return;
  const std::string base = clean(program_[id].name);
  name = base;
  for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
}

}  // namespace uc::syntax
