#include "ir/program.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "base/text.h"

namespace uc {
namespace {
constexpr std::array<std::pair<Precision, std::string_view>, 5> kPrecisions{{{Precision::strict, "strict"},
                                                                             {Precision::tf32, "tf32"},
                                                                             {Precision::f16, "f16"},
                                                                             {Precision::bf16, "bf16"},
                                                                             {Precision::f8, "f8"}}};
}  // namespace

std::string_view name(Precision precision) { return kPrecisions[static_cast<size_t>(precision)].second; }

std::optional<Precision> parse_precision(std::string_view text) {
  for (const auto& [precision, word] : kPrecisions) {
    if (word == text) return precision;
  }
  return std::nullopt;
}

bool allows(Precision precision, DType type) {
  switch (type) {
    case DType::f16: return precision == Precision::f16 || precision == Precision::f8;
    case DType::bf16: return precision == Precision::bf16 || precision == Precision::f8;
    case DType::f8e4m3:
    case DType::f8e5m2: return precision == Precision::f8;
    default: return true;
  }
}

std::string to_text(const KnobValue& value) {
  if (const int64_t* whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  if (const double* number = std::get_if<double>(&value)) return shortest_float(*number);
  if (const Tile* tile = std::get_if<Tile>(&value)) return fmt::format("{}", fmt::join(tile->extents, "x"));
  return std::get<std::string>(value);
}

const Knob* Step::knob(std::string_view knob_name) const {
  for (const Knob& knob : knobs) {
    if (knob.name == knob_name) return &knob;
  }
  return nullptr;
}

std::vector<ValueId> heads_of(const Program& program, const Step& step) {
  return step.heads.empty() ? program[step.main].out : step.heads;
}

std::vector<OpId> ops_of(const Step& step) {
  std::vector<OpId> out = step.prologue;
  if (step.main) out.push_back(step.main);
  for (const Step::Call& call : step.chain) out.insert(out.end(), call.ops.begin(), call.ops.end());
  return out;
}

}  // namespace uc
