#include "catalog/named_dims.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "catalog/program_builder.h"
#include "ir/layout.h"

namespace uc {
namespace {

constexpr std::array<int64_t, 8> kPrimes{1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049};

Shape shape_at(const std::vector<SizeTerm>& terms, const std::vector<int64_t>& sizes) {
  Shape out;
  for (const SizeTerm& term : terms) out.push_back(term.at(sizes));
  return out;
}

void resize(Value& value, const std::vector<int64_t>& sizes) {
  if (value.sizes.empty()) return;
  const std::string_view layout = layout_of(value.shape, value.stride);
  value.shape = shape_at(value.sizes, sizes);
  value.stride =
      layout_strides(layout.empty() ? "row" : layout, value.shape).value_or(row_major(value.shape));
}

void resize(Attrs& attrs, const std::vector<int64_t>& sizes) {
  const Attrs old = attrs;
  for (const auto& [key, value] : old.entries()) {
    const auto* terms = old.terms(key);
    if (terms == nullptr) continue;
    auto numbers = shape_at(*terms, sizes);
    if (std::holds_alternative<int64_t>(value)) {
      attrs.set(key, numbers[0]);
    } else {
      attrs.set(key, std::move(numbers));
    }
  }
}

}  // namespace

Program at_sizes(const Catalog& catalog, const Program& program, std::vector<int64_t> sizes,
                 DiagSink& diags) {
  Program out = program;
  out.chosen = std::move(sizes);
  for (Value& value : out.values) resize(value, out.chosen);
  for (Op& op : out.ops) resize(op.attrs, out.chosen);
  reinfer(catalog, out, diags);
  return out;
}

std::vector<std::vector<int64_t>> sizes_to_try(const Program& program) {
  std::vector<std::vector<int64_t>> out;
  std::vector<int64_t> most;
  std::vector<int64_t> least;
  std::vector<int64_t> odd;  // the least odd multiple of the step above the least
  for (const Dim& dim : program.dims) {
    most.push_back(dim.most());
    least.push_back(dim.least());
    const int64_t next = dim.least() + dim.step;
    const int64_t other = (next / dim.step) % 2 == 1 ? next : next + dim.step;
    odd.push_back(dim.holds(other) ? other : dim.least());
  }
  const auto add = [&out](std::vector<int64_t> sizes) {
    if (std::ranges::find(out, sizes) == out.end()) out.push_back(std::move(sizes));
  };
  if (program.dims.empty()) return out;
  add(most);
  add(least);
  add(odd);
  for (size_t i = 0; i < most.size(); ++i) {
    auto mixed = most;
    mixed[i] = odd[i];
    add(std::move(mixed));
  }
  return out;
}

std::vector<int64_t> unequal_sizes(const Program& program) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < program.dims.size(); ++i) {
    const int64_t prime =
        kPrimes[i % kPrimes.size()] + 1009 * 1013 * static_cast<int64_t>(i / kPrimes.size());
    out.push_back(SizeTerm{prime, 0}.at({program.dims[i].step}));
  }
  return out;
}

std::string describe_sizes(const Program& program, const std::vector<int64_t>& sizes) {
  std::string out;
  for (size_t i = 0; i < sizes.size(); ++i)
    out += fmt::format("{}{} = {}", i == 0 ? "" : ", ", program.dims[i].name, sizes[i]);
  return out;
}

Result<std::vector<int64_t>> sizes_of(const Program& program, std::span<const GivenShape> given) {
  std::vector<std::optional<int64_t>> found(program.dims.size());
  for (const GivenShape& each : given) {
    const Value& value = program[each.value];
    if (value.sizes.size() != each.shape.size()) continue;  // the rank differs: binding says so
    for (size_t d = 0; d < each.shape.size(); ++d) {
      const SizeTerm& term = value.sizes[d];
      if (!term.named()) continue;
      const Dim& dim = program.dims[static_cast<size_t>(term.dim)];
      auto& size = found[static_cast<size_t>(term.dim)];
      const int64_t here = each.shape[d] / term.scale;
      if (here * term.scale != each.shape[d]) {
        return fail(fmt::format("dimension {} of `{}` is {}, and the program declares {} * {}", d, value.name,
                                each.shape[d], term.scale, dim.name));
      }
      if (size && *size != here) {
        return fail(fmt::format("`{}` is {} in dimension {} of `{}`, and {} elsewhere", dim.name, here, d,
                                value.name, *size),
                    "one name is one size in a launch");
      }
      size = here;
      if (dim.holds(here)) continue;
      return fail(fmt::format("`{}` is {} here, and the program declares {}..{}{}", dim.name, here, dim.low,
                              dim.high, dim.step == 1 ? "" : fmt::format(" step {}", dim.step)),
                  fmt::format("widen the range in the program, or pad dimension {} of `{}`", d, value.name));
    }
  }
  std::vector<int64_t> out;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) return fail(fmt::format("no tensor says what `{}` is", program.dims[i].name));
    out.push_back(*found[i]);
  }
  return out;
}

}  // namespace uc
