#include "check/declarations.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "catalog/named_dims.h"
#include "check/bind_args.h"
#include "check/diags.h"
#include "ir/layout.h"

namespace uc {
namespace {

class Attributes {
 public:
  Attributes(Scope& scope, Value& value) : diags_(scope.diags), value_(value) {}

  void one(const ast::Attribute& attribute) {
    const std::string& text = attribute.name.text;
    const auto structures = structure_names();
    const bool structure = std::ranges::find(structures, text) != structures.end();
    if (!seen_.insert(structure ? std::string_view(text) : "layout").second) {
      bad(attribute, structure ? fmt::format("`@{}` is given twice", text) : "a second layout").help =
          "keep one of them";
    } else if (structure) {
      set_structure(attribute);
    } else if (text == "strides") {
      set_strides(attribute);
    } else {
      set_layout(attribute);
    }
  }

 private:
  Diag& bad(const ast::Attribute& attribute, std::string message) {
    return diags_.add(kinds::bad_attribute, attribute.span, std::move(message));
  }

  // Of matrices, the last two dimensions; any before are a batch.
  void set_structure(const ast::Attribute& attribute) {
    const std::string& text = attribute.name.text;
    const size_t rank = value_.shape.size();
    const bool matrix = rank >= 2;
    const bool square = matrix && value_.shape[rank - 1] == value_.shape[rank - 2];
    if (!attribute.args.empty()) {
      bad(attribute, fmt::format("`@{}` takes no arguments", text)).help = fmt::format("`@{}`", text);
    } else if (text != "positive" && (!matrix || (text == "symmetric" && !square))) {
      bad(attribute, fmt::format("`@{}` of a tensor of {}", text, to_text(value_.shape))).help =
          text == "symmetric" ? "the last two dimensions are equal"
                              : "structure is that of a matrix: rank 2 or more";
    } else {
      value_.structure.push_back(text);
    }
  }

  void set_layout(const ast::Attribute& attribute) {
    const std::string& text = attribute.name.text;
    const auto names = layout_names();
    if (const auto strides = layout_strides(text, value_.shape)) {
      value_.stride = *strides;
    } else if (std::ranges::find(names, text) != names.end()) {
      bad(attribute, fmt::format("`@{}` does not fit a tensor of rank {}", text, value_.shape.size())).help =
          "nwc takes rank 3, nhwc rank 4, ndhwc rank 5, col at least rank 2";
    } else {
      auto& diag = diags_.add(kinds::unknown_attribute, attribute.name.span,
                              fmt::format("`@{}` is no attribute", text));
      std::vector<std::string_view> known(names.begin(), names.end());
      const auto structures = structure_names();
      known.insert(known.end(), structures.begin(), structures.end());
      known.emplace_back("strides");
      suggest(diag, text, known, kinds::unknown_attribute.summary);
    }
  }

  void set_strides(const ast::Attribute& attribute) {
    if (!value_.sizes.empty()) {
      bad(attribute, "`@strides` of a tensor whose size is a name").help =
          "a layout such as @row or @col follows the size; or write the sizes as numbers";
      return;
    }
    Strides strides;
    for (const ast::Arg& arg : attribute.args) {
      const auto* expr = std::get_if<ast::ExprPtr>(&arg.value);
      const auto constant = expr == nullptr ? std::nullopt : fold(**expr);
      if (constant && constant->is_int && constant->value >= 0)
        strides.push_back(static_cast<int64_t>(constant->value));
    }
    if (strides.size() == value_.shape.size() && strides.size() == attribute.args.size()) {
      value_.stride = strides;
      return;
    }
    bad(attribute,
        fmt::format("`@strides` gives {} strides for {} dimensions", strides.size(), value_.shape.size()))
        .help = "one integer a dimension, in elements";
  }

  DiagSink& diags_;
  Value& value_;
  std::set<std::string_view> seen_;
};

// Fused operators keep the running value's shape, at every size.
void same_chain_shapes(const Program& program, DiagSink& found) {
  for (const Step& step : program.steps) {
    if (!step.main) continue;
    std::vector<ValueId> running = heads_of(program, step);
    for (const Step::Call& call : step.chain) {
      const auto after = after_call(program, call, running);
      const bool reduces = std::ranges::any_of(call.ops, [&](OpId op) { return program[op].spec->reduces; });
      const Shape& before = program[running[0]].shape;
      if (!reduces && program[after[0]].shape != before) {
        found.add(kinds::chain_shape, call.span,
                  fmt::format("this makes {} of {}", to_text(program[after[0]].shape), to_text(before)));
      }
      running = after;
    }
  }
}

void report(Scope& scope, const std::vector<int64_t>& sizes, const DiagSink& found) {
  for (const Diag& diag : found.diags()) {
    if (diag.severity != Severity::error) continue;
    auto& more =
        scope.diags.add(kinds::dim_value, diag.span,
                        fmt::format("{}, when {}", diag.message, describe_sizes(scope.program, sizes)));
    more.help = diag.help.empty() ? "dimensions that shall be equal have the same name" : diag.help;
  }
}

}  // namespace

void set_attributes(Scope& scope, ValueId id, const std::vector<ast::Attribute>& attributes) {
  Attributes all(scope, scope.program[id]);
  for (const ast::Attribute& attribute : attributes) all.one(attribute);
}

void check_dims(Scope& scope) {
  Program& program = scope.program;
  std::set<int32_t> said;
  for (const auto* declared : {&program.inputs, &program.params}) {
    for (const ValueId id : *declared) {
      for (const SizeTerm& term : program[id].sizes) said.insert(term.dim);
    }
  }
  for (size_t i = 0; i < program.dims.size(); ++i) {
    if (said.contains(static_cast<int32_t>(i))) continue;
    const Dim& dim = program.dims[i];
    scope.diags.add(kinds::unused_dim, dim.span, fmt::format("no tensor has the size `{}`", dim.name)).help =
        fmt::format("give an input that size: `input x: f32[{}, 64]`, or drop the line", dim.name);
  }
  if (program.dims.empty() || scope.diags.has_errors()) return;
  auto tried = sizes_to_try(program);
  tried.push_back(unequal_sizes(program));
  for (const auto& sizes : tried) {
    DiagSink found;
    const Program other = at_sizes(scope.catalog, program, sizes, found);
    if (!found.has_errors()) same_chain_shapes(other, found);
    report(scope, sizes, found);
    if (scope.diags.has_errors()) return;
  }
}

}  // namespace uc
