#include "compiler/shape_set.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/text.h"
#include "catalog/named_dims.h"
#include "plan/choose.h"

namespace uc {
namespace {

struct OneSize {
  int64_t size = 0;
  std::optional<double> share;
};

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

tl::unexpected<Error> wrong(std::string message) {
  return fail("--dims: " + std::move(message), "one name after the other: --dims m=1:.6,64:.3,4096:.1", 2);
}

/// "64:.3" as a size of `dim`.
Result<OneSize> one_size(const Dim& dim, std::string_view text) {
  const size_t colon = text.find(':');
  const auto size = number_of<int64_t>(text.substr(0, colon));
  if (!size) return wrong(fmt::format("'{}' is no size of `{}`", text.substr(0, colon), dim.name));
  if (!dim.holds(*size))
    return wrong(fmt::format("`{}` is {}..{} step {}, and {} is not in it", dim.name, dim.low, dim.high,
                             dim.step, *size));
  OneSize out{*size, std::nullopt};
  if (colon == std::string_view::npos) return out;
  out.share = number_of<double>(text.substr(colon + 1));
  if (!out.share || !(*out.share > 0) || *out.share > 1e9)
    return wrong(fmt::format("the share of {} = {} is no positive number", dim.name, *size));
  return out;
}

/// Shares of one dimension: all given or none.
Result<> settle(const Dim& dim, std::vector<OneSize>& sizes) {
  const auto given = std::ranges::count_if(sizes, [](const OneSize& each) { return each.share.has_value(); });
  if (given != 0 && given != static_cast<std::ptrdiff_t>(sizes.size()))
    return wrong(fmt::format("some sizes of `{}` have a share and some have none", dim.name));
  double sum = 0;
  for (OneSize& each : sizes) sum += each.share.value_or(1);
  for (OneSize& each : sizes) each.share = each.share.value_or(1) / sum;
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (sizes[k].size == sizes[i].size)
        return wrong(fmt::format("{} = {} stands twice", dim.name, sizes[i].size));
    }
  }
  return {};
}

/// What each dimension is given, in declaration order.
Result<std::vector<std::vector<OneSize>>> given_sizes(const Program& program, std::string_view text) {
  std::vector<std::vector<OneSize>> out(program.dims.size());
  std::optional<size_t> at;
  while (!text.empty()) {
    std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    if (const size_t equals = item.find('='); equals != std::string_view::npos) {
      const std::string_view name = trim(item.substr(0, equals));
      const auto found = std::ranges::find(program.dims, name, &Dim::name);
      if (found == program.dims.end()) return wrong(fmt::format("the program has no `dim {}`", name));
      at = static_cast<size_t>(found - program.dims.begin());
      if (!out[*at].empty()) return wrong(fmt::format("`{}` stands twice", name));
      item.remove_prefix(equals + 1);
    }
    if (!at) return wrong(fmt::format("'{}' follows no name", item));
    const auto size = one_size(program.dims[*at], trim(item));
    if (!size) return tl::unexpected(size.error());
    out[*at].push_back(*size);
  }
  return out;
}

/// No names of dimensions any more.
Program with_numbers(Program program) {
  program.dims.clear();
  program.chosen.clear();
  for (Value& value : program.values) value.sizes.clear();
  for (Op& op : program.ops) {
    Attrs numbers;
    for (const auto& [key, value] : op.attrs.entries()) numbers.set(key, value);
    op.attrs = std::move(numbers);
  }
  return program;
}

}  // namespace

Result<std::vector<WeightedSizes>> parse_shape_set(const Program& program, std::string_view text) {
  if (program.dims.empty()) return wrong("the program names no dimensions (`dim m = 1..8192`)");
  auto given = given_sizes(program, text);
  if (!given) return tl::unexpected(given.error());
  std::vector<WeightedSizes> out{{{}, 1}};
  for (size_t d = 0; d < program.dims.size(); ++d) {
    if ((*given)[d].empty()) return wrong(fmt::format("no sizes of `{}`", program.dims[d].name));
    if (const auto settled = settle(program.dims[d], (*given)[d]); !settled)
      return tl::unexpected(settled.error());
    std::vector<WeightedSizes> longer;
    for (const WeightedSizes& before : out) {
      for (const OneSize& each : (*given)[d]) {
        longer.push_back(before);
        longer.back().sizes.push_back(each.size);
        longer.back().share *= *each.share;
      }
    }
    out = std::move(longer);
  }
  return out;
}

Compiled compile_at(const Catalog& catalog, const Program& program, const std::vector<int64_t>& sizes,
                    const CompileOptions& options) {
  DiagSink diags;
  const Program at = at_sizes(catalog, program, sizes, diags);
  if (!diags.has_errors()) return check_program(catalog, with_numbers(at), options);
  Compiled out;
  out.diags = std::move(diags);
  return out;
}

double modelled_us(const Catalog& catalog, const Compiled& compiled, std::string_view device) {
  const DeviceSpec* spec = catalog.device(device);
  if (spec == nullptr) spec = catalog.device_of_target(compiled.program.target);
  double total = 0;
  for (const Launch& launch : compiled.launches) {
    if (launch.phase != Phase::run) continue;
    if (const auto cost = estimate(catalog, launch, *spec)) total += cost->total_us;
  }
  return total;
}

}  // namespace uc
