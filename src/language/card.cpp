// The card: what a model needs to write programs, within a budget of tokens.
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/text.h"
#include "language/card_text.h"
#include "language/exports.h"
#include "language/names.h"

namespace uc::language {
namespace {

// ---- operators: by family, those with the same parameters together

enum class Detail : uint8_t { defaults, names, required };

std::string parameter(const ParamSpec& param, Detail detail) {
  if (param.required)
    return param.kind == ParamKind::tensors ? fmt::format("{}, ...", param.name) : std::string(param.name);
  if (detail == Detail::names) return fmt::format("{}=", param.name);
  const std::string_view shown = param.kind == ParamKind::word ? param.words : param.fallback;
  return fmt::format("{}={}", param.name, shown);
}

using Shared = std::vector<std::string>;

/// "(A, B)"; the running value is left out after `>>`, and so is what all of the family have.
std::string parameters(const OpSpec& row, Detail detail, const Shared& shared) {
  std::string out;
  bool skip = row.place == Place::fused;
  for (const ParamSpec& param : row.params) {
    if (skip && is_operand(param.kind)) {
      skip = false;
      continue;
    }
    if (detail == Detail::required && !param.required) continue;
    if (std::ranges::find(shared, parameter(param, detail)) != shared.end()) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", parameter(param, detail));
  }
  return fmt::format("({})", out);
}

/// Rows of one family that may stand at the same places.
struct Family {
  std::string name;
  Place place = Place::both;
  std::vector<const OpSpec*> rows;
  Detail detail = Detail::defaults;

  /// Optional parameters that each row has.
  Shared shared() const {
    Shared out;
    if (rows.size() < 3 || detail == Detail::required) return out;
    for (const ParamSpec& param : rows[0]->params) {
      const std::string text = parameter(param, detail);
      const bool all = std::ranges::all_of(rows, [&](const OpSpec* row) {
        return std::ranges::any_of(row->params,
                                   [&](const ParamSpec& own) { return parameter(own, detail) == text; });
      });
      if (all && !param.required) out.push_back(text);
    }
    return out;
  }

  std::string line() const {
    const Shared common = shared();
    std::vector<std::pair<std::string, std::string>> groups;  // parameters, names
    for (const OpSpec* row : rows) {
      const std::string params = parameters(*row, detail, common);
      auto found = std::ranges::find(groups, params, [](const auto& group) { return group.first; });
      if (found == groups.end()) found = groups.insert(groups.end(), {params, ""});
      found->second += fmt::format("{}{}", found->second.empty() ? "" : " ", row->name);
    }
    std::string out;
    for (const auto& [params, names] : groups)
      out += fmt::format("{}{}{}", out.empty() ? "" : "; ", names, params);
    if (!common.empty()) out += fmt::format("; each also {}", fmt::join(common, ", "));
    constexpr std::string_view kPlaces[] = {"", "step", "only after >>", "", "view"};
    const std::string_view where = kPlaces[static_cast<size_t>(place)];
    const std::string label = where.empty() || name == where ? name : fmt::format("{}, {}", name, where);
    return fmt::format("- {}: {}\n", label, out);
  }
};

std::vector<Family> families(const Catalog& catalog) {
  std::vector<Family> out;
  for (const OpSpec* row : catalog.ops()) {
    const bool infix = !row->infix.empty() && row->infix != "**";
    if (row->place == Place::inner || (infix && row->place == Place::step)) continue;
    const auto same = [row](const Family& family) {
      return family.name == row->family && family.place == row->place;
    };
    auto found = std::ranges::find_if(out, same);
    if (found == out.end()) found = out.insert(out.end(), {std::string(row->family), row->place, {}});
    found->rows.push_back(row);
  }
  std::ranges::stable_sort(out, {}, [](const Family& family) { return family.name; });
  return out;
}

// Defaults go before names of optional parameters do, first where an operator takes most tokens; families of
// one or two operators keep those names longest.
std::string operators(const Catalog& catalog, size_t budget) {
  std::vector<Family> all = families(catalog);
  while (true) {
    std::string out;
    for (const Family& family : all) out += family.line();
    const auto next = std::ranges::max_element(all, {}, [](const Family& family) {
      const bool keeps = family.detail == Detail::names && family.rows.size() < 3;
      const size_t each = estimate_tokens(family.line()) / family.rows.size();
      return std::tuple(-static_cast<int>(family.detail), !keeps, each);
    });
    if (estimate_tokens(out) <= budget || next->detail == Detail::required) return out;
    next->detail = static_cast<Detail>(static_cast<int>(next->detail) + 1);
  }
}

// ---- knobs

// Nearly all take `auto`, which is said once.
std::string without_auto(std::string_view syntax) {
  std::string out = replace_all(std::string(syntax), " | ", "|");
  if (out.starts_with("auto|")) return out.substr(5);
  return out.ends_with("|auto") ? out.substr(0, out.size() - 5) : out;
}

std::string knobs(const Catalog& catalog) {
  std::vector<std::pair<std::string, std::string>> groups;  // families, knobs
  for (const KnobSpec* row : catalog.knobs()) {
    if (!row->emitted) continue;
    const std::string families(row->families);
    auto found = std::ranges::find(groups, families, [](const auto& group) { return group.first; });
    if (found == groups.end()) found = groups.insert(groups.end(), {families, ""});
    found->second += fmt::format(" .{}({})", row->name, without_auto(row->syntax));
  }
  std::string out;
  for (const auto& [families, text] : groups) out += fmt::format("- {}:{}\n", families, text);
  return out;
}

// ---- the rest

std::string intro() {
  return "# ucutlass: programs for GPU kernels (.uc)\n"
         "A file is one program, step by step. One step is one kernel launch: what stands inside "
         "its "
         "parentheses happens before it, what follows `>>` after it, in the same kernel. Views and `prepack` "
         "are free. "
         "What cannot be one kernel is refused with the step to add. No loops.\n";
}

std::string form() {
  return fmt::format(
      "## Form\n```\ntarget sm_90a\nprecision {}    # default strict\n"
      "input x: f32[64, 128] @col     # before use, in call order\n"
      "param W: f32[256, 128] = \"fc.weight\"\nparam c: f32 = \"scale\"   # a number: no brackets\nscalar s: "
      "f32\ndim N = 8..8192 step 8          # then f32[N, "
      "2*N]\n"
      "a, b = EXPR .knob(...).knob(...) >> call(...) >> call(...)\nreturn a, b\n```\n"
      "EXPR: + - * / ** < <= > >= == != (no chains), calls, numbers (0.5, 1e-5, not .5 or "
      "1.). A newline "
      "ends a statement outside brackets, unless the next begins with `.` or `>>`. `#` comments. After "
      "`>>` a call "
      "lacks its first argument; `map(EXPR)` is any expression over the running value `it`. Names on the "
      "left bind `store`s in "
      "order, then the "
      "final value.\n",
      fmt::join(precision_names(), "|"));
}

std::string meaning() {
  return fmt::format(
      "## Types and precision\n{}. Attributes: @{}. Shapes are in PyTorch's order; layouts change strides "
      "only.\n"
      "`precision` is the least accurate form that data from an f32 input or param may take. Convert "
      "before a product: `to(x, f16)`, weights `prepack(W, f16)`. Both operands of a product have one type; "
      "sums are in "
      "f32, `it` stays unrounded until `to`, `store` or the end. tf32, f8 and i8 products need K "
      "contiguous in both "
      "operands: `Bc = to(B, col)`. Result types follow PyTorch's promotion: end with `>> to(f32)` for f32. "
      "Broadcasting is NumPy's. "
      "Reductions need `dim=`; after `>>` they, softmax and norms need the whole row in one tile. "
      "linear(x, W) = x @ W.T; attention is bhsd unless `layout=bshd`; norms take `weight=, bias=`, conv "
      "`stride=, padding=, dilation=, groups=`.\n",
      fmt::join(dtype_names(), " "), fmt::join(attribute_names(), " @"));
}

/// Which operators have kernels: what lowers itself, and all that is pointwise. A family that has kernels for
/// all of its operators stands for them.
bool has_kernel(const OpSpec& spec) {
  return spec.lower != nullptr || spec.row_scalar != nullptr || spec.pieces != nullptr;
}

std::string kernels(const Catalog& catalog) {
  std::vector<std::string_view> names;
  for (const OpSpec* spec : catalog.ops()) {
    if (!has_kernel(*spec)) continue;
    const bool whole = std::ranges::all_of(catalog.ops(), [spec](const OpSpec* other) {
      return other->family != spec->family || has_kernel(*other);
    });
    const std::string_view name = whole ? spec->family : spec->name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format("Kernels exist for {}, pointwise, `to`; the rest on the CPU (UC1907).\n",
                     fmt::join(names, ", "));
}

std::string examples() {
  std::string out = "## Examples\n";
  for (const CardExample& example : card_examples())
    out += fmt::format("{}:\n```\n{}\n```\n", example.what, trim(example.program));
  return out;
}

std::string one_line(std::string_view text) { return replace_all(std::string(text), "\n", "; "); }

std::string mistakes() {
  std::string out = "## Mistakes\n";
  for (const Mistake& mistake : card_mistakes())
    out += fmt::format("- `{}` is {}: `{}`{}\n", one_line(mistake.wrong), mistake.id, one_line(mistake.right),
                       mistake.note.empty() ? std::string() : fmt::format(" ({})", mistake.note));
  return out;
}

}  // namespace

std::string card(const Catalog& catalog) {
  const std::string head = intro() + form() + meaning() +
                           "## Operators\n`name=` may be left out; defaults are PyTorch's. " +
                           kernels(catalog);
  const std::string tail =
      "## Knobs\nAll take `auto` but on|off.\n" + knobs(catalog) + examples() + mistakes() +
      "`ucutlass check FILE` says what mends it; `ucutlass explain NAME` shows any name.\n";
  const size_t fixed = estimate_tokens(head) + estimate_tokens(tail);
  return head + operators(catalog, kCardEstimate > fixed ? kCardEstimate - fixed : 0) + tail;
}

}  // namespace uc::language
