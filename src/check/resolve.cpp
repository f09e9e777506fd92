#include "check/resolve.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "check/bind_args.h"
#include "check/declarations.h"
#include "check/diags.h"
#include "check/dim_range.h"
#include "check/scope.h"

namespace uc {

std::string Scope::fresh(std::string_view base) const {
  std::string name(base);
  for (int i = 2; written.contains(name) || builder.fresh_name(name) != name; ++i)
    name = fmt::format("{}_{}", base, i);
  return name;
}

bool Scope::claim(const ast::Name& name) {
  const auto broken = failed.find(name.text);  // what failed further down is no declaration before this one
  const bool failed_before = broken != failed.end() && name.span.begin > broken->second.begin;
  if (!names.contains(name.text) && !dims.contains(name.text) && !failed_before) return true;
  auto& diag =
      diags.add(kinds::duplicate_name, name.span, fmt::format("`{}` is declared already", name.text));
  diag.replacement = fresh(name.text);
  diag.help = fmt::format("use another name, such as `{}`", diag.replacement);
  return false;
}

std::optional<ValueId> Scope::find(std::string_view text, Span span) {
  const auto found = names.find(text);
  if (found != names.end()) return found->second;
  if (failed.find(text) != failed.end()) return std::nullopt;
  auto& diag = diags.add(kinds::unknown_name, span, fmt::format("nothing is named `{}`", text));
  std::vector<std::string_view> known;
  for (const auto& [name, value] : names) known.push_back(name);
  for (const auto& [name, value] : dims) known.push_back(name);
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

class FileResolver {
 public:
  FileResolver(const Catalog& catalog, Program& program, DiagSink& diags) : scope_(catalog, program, diags) {}

  void run(const ast::File& file) {
    // With syntax errors the tree lacks statements; what they would have said is not missing.
    const bool whole = !scope_.diags.has_errors();
    for (const ast::Name& name : file.broken) scope_.failed.emplace(name.text, name.span);
    for (const ast::Statement& statement : file.statements) note_names(statement);
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
    std::vector<std::string_view> known;  // devices without a back end have bounds, no programs
    for (const DeviceSpec* device : scope_.catalog.devices()) {
      if (scope_.catalog.emits_for(*device)) known.push_back(device->arch);
    }
    if (std::ranges::find(known, target.text) != known.end()) return;
    auto& diag =
        scope_.diags.add(kinds::unknown_target, target.span, fmt::format("`{}` is no target", target.text));
    suggest(diag, target.text, known,
            fmt::format("known targets: {}", fmt::join(std::set(known.begin(), known.end()), ", ")));
  }

  void note_names(const ast::Statement& statement) {
    if (const auto* dim = std::get_if<ast::Dim>(&statement)) scope_.written.insert(dim->name.text);
    if (const auto* decl = std::get_if<ast::Decl>(&statement)) scope_.written.insert(decl->name.text);
    if (const auto* step = std::get_if<ast::Step>(&statement)) {
      for (const ast::Name& name : step->names) scope_.written.insert(name.text);
    }
  }

  void visit(const ast::Dim& dim) {
    if (!scope_.claim(dim.name)) return;
    if (!check_dim_range(dim, scope_.diags)) {
      scope_.failed.emplace(dim.name.text, dim.span);
      return;
    }
    const Dim row{dim.name.text, dim.low, dim.high, dim.step.value_or(1), dim.span};
    scope_.dims.emplace(dim.name.text, static_cast<int32_t>(scope_.program.dims.size()));
    scope_.program.dims.push_back(row);
    scope_.program.chosen.push_back(row.most());
  }

  // A size as written; nothing after an error about its name.
  std::optional<SizeTerm> term_of(const ast::Size& size) {
    SizeTerm term{size.scale.value_or(1), -1};
    if (!size.dim) return term;
    const auto found = scope_.dims.find(size.dim->text);
    if (found != scope_.dims.end()) {
      term.dim = found->second;
      return term;
    }
    if (scope_.failed.contains(size.dim->text)) return std::nullopt;
    std::vector<std::string_view> known;
    for (const Dim& dim : scope_.program.dims) known.push_back(dim.name);
    auto& diag = scope_.diags.add(kinds::unknown_name, size.dim->span,
                                  fmt::format("no dimension is named `{}`", size.dim->text));
    suggest(diag, size.dim->text, known,
            fmt::format("declare it before: `dim {} = 1..8192`", size.dim->text));
    return std::nullopt;
  }

  std::optional<Shape> shape_of(const ast::Type& type, std::vector<SizeTerm>& terms) {
    Shape shape;
    for (const ast::Size& size : type.sizes) {
      const auto term = term_of(size);
      if (!term) return std::nullopt;
      terms.push_back(*term);
      shape.push_back(term->at(scope_.program.chosen));
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
    std::vector<SizeTerm> terms;
    const auto shape = shape_of(decl.type, terms);
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
    if (std::ranges::any_of(terms, &SizeTerm::named)) scope_.program[id].sizes = std::move(terms);
    bind_module_name(id, decl);
    set_attributes(scope_, id, decl.attributes);
    scope_.bind(decl.name, id);
  }

  void bind_module_name(ValueId id, const ast::Decl& decl) {
    if (!decl.binding) return;
    scope_.program[id].binding = *decl.binding;
    const auto [first, fresh] = bindings_.emplace(*decl.binding, decl.name.text);
    if (fresh || decl.binding->empty()) return;
    scope_.diags
        .add(kinds::duplicate_binding, decl.span,
             fmt::format("\"{}\" is bound to `{}` already", *decl.binding, first->second))
        .help = fmt::format("use `{}`, or bind another parameter", first->second);
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
    if (!scope_.diags.has_errors()) check_dims(scope_);
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
  std::map<std::string, std::string> bindings_;  // the module's name to ours
  bool has_result_ = false;
};

}  // namespace

Program resolve(const Catalog& catalog, const ast::File& file, DiagSink& diags) {
  Program program;
  FileResolver(catalog, program, diags).run(file);
  return program;
}

}  // namespace uc
