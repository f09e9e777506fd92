#include "check/resolve.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "check/bind_args.h"
#include "check/diags.h"
#include "check/dim_range.h"
#include "check/scope.h"
#include "ir/layout.h"

namespace uc {

bool Scope::claim(const ast::Name& name) {
  const auto taken = names.find(name.text);
  const auto broken = failed.find(name.text);  // what failed further down is no declaration before this one
  if (taken == names.end() && (broken == failed.end() || name.span.begin <= broken->second.begin))
    return true;
  auto& diag =
      diags.add(kinds::duplicate_name, name.span, fmt::format("`{}` is declared already", name.text));
  diag.help = fmt::format("use another name, such as `{}`", builder.fresh_name(name.text));
  diag.replacement = builder.fresh_name(name.text);
  return false;
}

std::optional<ValueId> Scope::find(std::string_view text, Span span) {
  const auto found = names.find(text);
  if (found != names.end()) return found->second;
  if (failed.find(text) != failed.end()) return std::nullopt;
  auto& diag = diags.add(kinds::unknown_name, span, fmt::format("nothing is named `{}`", text));
  std::vector<std::string_view> known;
  for (const auto& [name, value] : names) known.push_back(name);
  const std::string_view near = nearest(text, known);
  if (!near.empty()) {
    diag.help = fmt::format("did you mean `{}`?", near);
    diag.replacement = near;
  } else {
    diag.help = fmt::format("declare it first: `input {0}: f32[...]`, or a step `{0} = ...`", text);
  }
  return std::nullopt;
}

namespace {

template <class Names>
void suggest(Diag& diag, std::string_view text, const Names& names, std::string_view otherwise) {
  const std::vector<std::string_view> known(std::begin(names), std::end(names));
  const std::string_view near = nearest(text, known);
  diag.help = near.empty() ? std::string(otherwise) : fmt::format("did you mean `{}`?", near);
  diag.replacement = near;
}

class FileResolver {
 public:
  FileResolver(const Catalog& catalog, Program& program, DiagSink& diags) : scope_(catalog, program, diags) {}

  void run(const ast::File& file) {
    // With syntax errors the tree lacks statements; what they would have said is not missing.
    const bool whole = !scope_.diags.has_errors();
    for (const ast::Name& name : file.broken) scope_.failed.emplace(name.text, name.span);
    for (const ast::Statement& statement : file.statements) {
      std::visit([this](const auto& node) { visit(node); }, statement);
    }
    const uint32_t end =
        file.statements.empty()
            ? 0
            : std::visit([](const auto& node) { return span_of(node).end; }, file.statements.back());
    if (whole) finish(Span{end, end});
  }

 private:
  static Span span_of(const ast::Header& header) {
    return {header.keyword.span.begin, header.value.span.end};
  }
  template <class Node>
  static Span span_of(const Node& node) {
    return node.span;
  }

  void visit(const ast::Header& header) {
    if (!headers_.insert(header.keyword.text).second) {
      scope_.diags
          .add(kinds::header_twice, header.keyword.span,
               fmt::format("`{}` is given twice", header.keyword.text))
          .help = "keep one of them";
      return;
    }
    const std::string& text = header.value.text;
    if (header.keyword.text == "target") {
      set_target(header.value);
    } else if (header.keyword.text == "precision") {
      const auto precision = parse_precision(text);
      if (precision) {
        scope_.program.precision = *precision;
      } else {
        auto& diag = scope_.diags.add(kinds::unknown_precision, header.value.span,
                                      fmt::format("`{}` is no precision", text));
        suggest(diag, text, std::array<std::string_view, 5>{"strict", "tf32", "f16", "bf16", "f8"},
                "write `precision strict`, `tf32`, `f16`, `bf16` or `f8`");
      }
    } else {
      scope_.program.name = text;
    }
  }

  void set_target(const ast::Name& target) {
    scope_.program.target = target.text;
    if (scope_.catalog.device_of_target(target.text) != nullptr) return;
    std::vector<std::string_view> known;
    for (const DeviceSpec* device : scope_.catalog.devices()) known.push_back(device->arch);
    auto& diag =
        scope_.diags.add(kinds::unknown_target, target.span, fmt::format("`{}` is no target", target.text));
    suggest(diag, target.text, known,
            fmt::format("known targets: {}", fmt::join(std::set(known.begin(), known.end()), ", ")));
  }

  void visit(const ast::Dim& dim) {
    if (!check_dim_range(dim, scope_.diags)) {
      scope_.failed.emplace(dim.name.text, dim.span);
      return;
    }
    scope_.diags
        .add(kinds::named_dims, dim.span,
             fmt::format("the named dimension `{}` is not compiled yet", dim.name.text))
        .help = "write the size as a number";
    scope_.failed.emplace(dim.name.text, dim.span);
  }

  std::optional<Shape> shape_of(const ast::Type& type) {
    Shape shape;
    for (const ast::Size& size : type.sizes) {
      if (size.dim) {
        if (!scope_.failed.contains(size.dim->text)) {
          scope_.diags
              .add(kinds::named_dims, size.span, fmt::format("the size `{}` is a name", size.dim->text))
              .help = "write the size as a number";
        }
        return std::nullopt;
      }
      shape.push_back(size.scale.value_or(1));
    }
    const bool positive = std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent >= 1; });
    if (positive && shape.size() <= 8 && numel(shape) <= (int64_t{1} << 40)) return shape;
    scope_.diags
        .add(kinds::bad_size, type.span,
             fmt::format("{} is not a size that a tensor may have", to_text(shape)))
        .help = "at most 8 dimensions, each at least 1, and 2^40 elements in all";
    return std::nullopt;
  }

  void visit(const ast::Decl& decl) {
    if (!scope_.claim(decl.name)) return;
    const auto dtype = parse_dtype(decl.type.dtype.text);
    if (!dtype) {
      std::vector<std::string_view> known;
      for (const DTypeInfo& row : all_dtypes()) known.push_back(row.name);
      auto& diag = scope_.diags.add(kinds::unknown_dtype, decl.type.dtype.span,
                                    fmt::format("`{}` is no type", decl.type.dtype.text));
      suggest(diag, decl.type.dtype.text, known, fmt::format("types are {}", fmt::join(known, " ")));
    }
    const auto shape = shape_of(decl.type);
    if (!dtype || !shape) {
      scope_.failed.emplace(decl.name.text, decl.span);
      return;
    }
    const ValueKind kind = decl.keyword.text == "input"   ? ValueKind::input
                           : decl.keyword.text == "param" ? ValueKind::param
                                                          : ValueKind::scalar;
    if (kind == ValueKind::scalar && !shape->empty()) {
      scope_.diags.add(kinds::bad_size, decl.type.span, "a scalar has no dimensions").help =
          fmt::format("`scalar {}: {}`, or `input` for a tensor", decl.name.text, decl.type.dtype.text);
      scope_.failed.emplace(decl.name.text, decl.span);
      return;
    }
    const ValueId id =
        scope_.builder.declare(kind, decl.name.text, *dtype, *shape, row_major(*shape), decl.span);
    scope_.program[id].binding = decl.binding.value_or("");
    for (const ast::Attribute& attribute : decl.attributes) set_attribute(id, attribute);
    scope_.bind(decl.name, id);
  }

  void set_attribute(ValueId id, const ast::Attribute& attribute) {
    Value& value = scope_.program[id];
    const std::string& text = attribute.name.text;
    const auto structures = structure_names();
    if (std::find(structures.begin(), structures.end(), text) != structures.end() && attribute.args.empty()) {
      value.structure.push_back(text);
    } else if (text == "strides") {
      set_strides(value, attribute);
    } else if (const auto strides = layout_strides(text, value.shape)) {
      value.stride = *strides;
    } else if (const auto names = layout_names();
               std::find(names.begin(), names.end(), text) != names.end()) {
      scope_.diags
          .add(kinds::bad_attribute, attribute.span,
               fmt::format("`@{}` does not fit a tensor of rank {}", text, value.shape.size()))
          .help = "nwc takes rank 3, nhwc rank 4, ndhwc rank 5, col at least rank 2";
    } else {
      auto& diag = scope_.diags.add(kinds::unknown_attribute, attribute.name.span,
                                    fmt::format("`@{}` is no attribute", text));
      std::vector<std::string_view> known(names.begin(), names.end());
      known.insert(known.end(), structures.begin(), structures.end());
      suggest(diag, text, known, std::string(kinds::unknown_attribute.summary));
    }
  }

  void set_strides(Value& value, const ast::Attribute& attribute) {
    Strides strides;
    for (const ast::Arg& arg : attribute.args) {
      const auto* expr = std::get_if<ast::ExprPtr>(&arg.value);
      const auto constant = expr == nullptr ? std::nullopt : fold(**expr);
      if (constant && constant->is_int && constant->value >= 0)
        strides.push_back(static_cast<int64_t>(constant->value));
    }
    if (strides.size() == value.shape.size() && strides.size() == attribute.args.size()) {
      value.stride = strides;
      return;
    }
    scope_.diags
        .add(kinds::bad_attribute, attribute.span,
             fmt::format("`@strides` gives {} strides for {} dimensions", strides.size(), value.shape.size()))
        .help = "one integer a dimension, in elements";
  }

  void visit(const ast::Step& step) { resolve_step(scope_, step); }

  void visit(const ast::Result& result) {
    has_result_ = true;
    for (const ast::Name& name : result.names) {
      const auto value = scope_.find(name.text, name.span);
      if (!value) continue;
      const Value& found = scope_.program[*value];
      const auto& results = scope_.program.results;
      const bool twice = std::find(results.begin(), results.end(), *value) != results.end();
      const Value& root = scope_.program[found.root];
      if (twice || root.kind != ValueKind::computed || found.params_only) {
        const std::string_view why = twice ? "is returned twice"
                                     : root.kind != ValueKind::computed
                                         ? "is not made by a step"
                                         : "depends on params only, so no call makes it";
        scope_.diags.add(kinds::bad_result, name.span, fmt::format("`{}` {}", name.text, why)).help =
            "return what run-time steps make; `to(x, row)` copies a tensor";
        continue;
      }
      scope_.program.results.push_back(*value);
    }
  }

  void finish(Span end) {
    if (!has_result_) {
      scope_.diags.add(kinds::no_result, end, "the program returns nothing").help =
          "end it with `return NAME`";
    }
    if (!headers_.contains("target")) {
      scope_.diags.add(kinds::no_target, Span{0, 0}, "the program names no target").help =
          "begin it with `target sm_90a`";
    }
    if (!scope_.diags.has_errors()) warn_unused();
  }

  void warn_unused() {
    const Program& program = scope_.program;
    std::vector<bool> used(program.values.size(), false);
    for (const Op& op : program.ops) {
      for (const ValueId in : op.in) used[in.index()] = used[program[in].root.index()] = true;
    }
    for (const ValueId id : program.results) used[id.index()] = used[program[id].root.index()] = true;
    for (const Step& step : program.steps) {
      const bool any =
          std::any_of(step.results.begin(), step.results.end(), [&](ValueId id) { return used[id.index()]; });
      if (any || step.results.empty()) continue;
      const Value& value = program[step.results.back()];
      scope_.diags.add(kinds::unused_step, value.span, fmt::format("nothing uses `{}`", value.name)).help =
          "return it, use it, or drop the step";
    }
  }

  Scope scope_;
  std::set<std::string> headers_;
  bool has_result_ = false;
};

}  // namespace

Program resolve(const Catalog& catalog, const ast::File& file, DiagSink& diags) {
  Program program;
  FileResolver(catalog, program, diags).run(file);
  return program;
}

}  // namespace uc
