#include "compiler/dispatch.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/hash.h"
#include "catalog/named_dims.h"
#include "compiler/shared_weights.h"
#include "emit/cpp_tree.h"

namespace uc {
namespace {

using cpp::line;

std::string braces(const std::vector<std::string>& items) {
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

std::string range_text(const SizeRange& range) {
  return fmt::format("{{{}, {}, {}}}", range.low, range.high, range.step);
}

/// Shape, then strides, of each tensor.
Result<std::vector<SizeFormula>> tensor_formulas(const Catalog& catalog, const Program& program,
                                                 const std::vector<ValueId>& ids) {
  const auto numbers = [&](const std::vector<int64_t>& sizes) -> std::optional<std::vector<SizedNumber>> {
    DiagSink diags;
    const Program at = at_sizes(catalog, program, sizes, diags);
    if (diags.has_errors()) return std::nullopt;
    std::vector<SizedNumber> out;
    for (const ValueId id : ids) {
      for (const int64_t extent : at[id].shape) out.push_back({extent});
      for (size_t i = 0; i < at[id].stride.size(); ++i)
        out.push_back(sized_stride(at[id].shape[i], at[id].stride[i]));
    }
    return out;
  };
  auto found = fit_formulas(declared_ranges(program), program.chosen, numbers);
  if (!found)
    return fail("--emit dispatch: shapes of tensors are no polynomials of the named dimensions",
                "compile each size by itself: write numbers in place of the names", 1);
  return std::move(*found);
}

class Dispatch {
 public:
  Dispatch(const Catalog& catalog, const DispatchInput& input)
      : catalog_(catalog),
        in_(input),
        program_(input.program),
        hash_(dispatch_hash(input.classes)),
        count_(input.classes.classes.size()) {}

  Result<std::string> run() {
    cpp::File file;
    auto& decls = file.decls;
    decls.push_back(cpp::Comment{opening()});
    decls.push_back(cpp::Verbatim{"#pragma once\n"});
    decls.push_back(cpp::Include{"<array>"});
    decls.push_back(cpp::Include{"\"uc_dispatch.h\""});
    decls.push_back(cpp::Verbatim{fmt::format("\nnamespace ucutlass_dispatch_{} {{\n\n", hash_)});
    decls.push_back(sizes_struct());
    for (const auto& [name, ids] : groups()) decls.push_back(group_struct(name, *ids));
    decls.push_back(cpp::Verbatim{"\nnamespace tables {\n"});
    for (const auto& [name, ids] : groups()) {
      auto made = operands(name, *ids);
      if (!made) return tl::unexpected(made.error());
      decls.push_back(std::move(*made));
    }
    for (cpp::Statement& each : kernel_tables()) decls.push_back(std::move(each));
    if (in_.plain) decls.push_back(plain_sizes());
    for (cpp::Statement& each : last_tables()) decls.push_back(std::move(each));
    decls.push_back(cpp::Verbatim{"}  // namespace tables\n\n"});
    decls.push_back(program_class());
    decls.push_back(cpp::Verbatim{fmt::format("\n}}  // namespace ucutlass_dispatch_{}\n", hash_)});
    return print(file);
  }

 private:
  using Group = std::pair<std::string_view, const std::vector<ValueId>*>;
  std::vector<Group> groups() const {
    return {{"Inputs", &program_.inputs}, {"Params", &program_.params}, {"Outputs", &program_.results}};
  }

  std::string opening() const {
    return fmt::format(
        "One program at any of its sizes, {} choices of kernels. Generated; the libraries lie in one "
        "folder.\n\n"
        "  #include \"ucutlass_dispatch_{}.h\"\n"
        "  namespace uc = ucutlass_dispatch_{};\n"
        "  uc::Program program;\n"
        "  if (!program.open(\"out\", 0)) {{ puts(program.error()); return 1; }}\n"
        "  program.prepack(params, packed, workspace, bytes, stream);   // once, and after every change of a "
        "weight\n"
        "  program.run(sizes, inputs, params, packed, outputs, workspace, bytes, stream);   // false: "
        "error()\n\n"
        "`packed` and `workspace` are device memory, aligned to 256 bytes: of packed_bytes(), of\n"
        "prepack_workspace_bytes() for prepack, and of workspace_bytes(sizes) for run.",
        count_, hash_, hash_);
  }

  cpp::Struct sizes_struct() const {
    cpp::Struct out{"struct Sizes", {}};
    for (const Dim& dim : program_.dims) {
      out.members.push_back(cpp::Comment{fmt::format("{}..{} step {}", dim.low, dim.high, dim.step)});
      out.members.push_back(line("int64_t " + dim.name));
    }
    return out;
  }

  cpp::Struct group_struct(std::string_view name, const std::vector<ValueId>& ids) const {
    cpp::Struct out{fmt::format("struct {}", name), {}};
    for (const ValueId id : ids) {
      const Value& value = program_[id];
      out.members.push_back(cpp::Comment{fmt::format("{}[{}]", uc::name(value.dtype), shape_names(value))});
      out.members.push_back(line(fmt::format("{}void* {}", name == "Outputs" ? "" : "const ", value.name)));
    }
    return out;
  }

  // As declared; of results at the largest sizes.
  std::string shape_names(const Value& value) const {
    if (value.sizes.empty()) return fmt::format("{}", fmt::join(value.shape, ", "));
    std::vector<std::string> out;
    for (const SizeTerm& term : value.sizes) {
      const std::string scale = std::to_string(term.scale);
      const std::string name = term.named() ? program_.dims[static_cast<size_t>(term.dim)].name : "";
      out.push_back(!term.named() ? scale : term.scale == 1 ? name : scale + " * " + name);
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  /// `operands(d, t)`: the tensors of a call.
  Result<cpp::Function> operands(std::string_view group, const std::vector<ValueId>& ids) const {
    const auto formulas = tensor_formulas(catalog_, program_, ids);
    if (!formulas) return tl::unexpected(formulas.error());
    std::string rows;
    size_t next = 0;
    for (const ValueId id : ids) {
      const Value& value = program_[id];
      std::vector<std::string> shape;
      std::vector<std::string> stride;
      for (size_t i = 0; i < value.shape.size(); ++i) shape.push_back((*formulas)[next++].text());
      for (size_t i = 0; i < value.shape.size(); ++i) stride.push_back((*formulas)[next++].text());
      rows += fmt::format("{}{{t.{}, {}, {}, {}, {}}}", rows.empty() ? "" : ", ", value.name,
                          static_cast<int>(value.dtype), value.shape.size(), braces(shape), braces(stride));
    }
    return cpp::Function{"inline std::vector<uc_dispatch::Operand> operands",
                         {"const int64_t* d", fmt::format("const {}& t", group)},
                         {line("(void)d, (void)t"), line(fmt::format("return {{{}}}", rows))}};
  }

  std::vector<cpp::Statement> kernel_tables() const {
    std::vector<std::string> names;
    std::vector<std::string> declared;
    for (const Dim& dim : program_.dims) names.push_back(cpp::quote(dim.name));
    for (const SizeRange& range : declared_ranges(program_)) declared.push_back(range_text(range));
    const std::vector<size_t> owners = weight_owners(in_.classes.classes);
    std::string kernels;
    for (size_t i = 0; i < count_; ++i) {
      const SizeClass& each = in_.classes.classes[i];
      std::vector<std::string> serves;
      for (const SizeRange& range : each.serves) serves.push_back(range_text(range));
      kernels +=
          fmt::format("    {{{}, {}, {}, {{{}}}}},\n", cpp::quote("ucutlass_" + each.emitted.hash + ".so"),
                      cpp::quote(summary(each)), owners[i], fmt::join(serves, ", "));
    }
    return {line(fmt::format("constexpr const char* kNames[] = {}", braces(names))),
            line(fmt::format("constexpr uc_dispatch::Range kDeclared[] = {}", braces(declared))),
            line(fmt::format("constexpr uc_dispatch::Kernel kKernels[] = {{\n{}}}", kernels))};
  }

  static std::string summary(const SizeClass& each) {
    std::string out;
    for (size_t i = 0; i < each.emitted.kernels.size(); ++i) {
      if (each.compiled.launches[i].phase != Phase::run) continue;
      out += (out.empty() ? "" : "; ") + each.emitted.kernels[i].summary;
    }
    return out;
  }

  cpp::Function plain_sizes() const {
    std::vector<std::string> text;
    for (const SizeFormula& each : in_.plain->sizes) text.push_back(each.text());
    const auto part = [&](size_t first, size_t count) {
      return fmt::format("{}", fmt::join(text.begin() + static_cast<std::ptrdiff_t>(first),
                                         text.begin() + static_cast<std::ptrdiff_t>(first + count), ", "));
    };
    return {"inline uc_cublaslt::Sizes plain_sizes",
            {"const int64_t* d"},
            {line("(void)d"), line(fmt::format("return {{{}, {{{}}}, {{{}}}, {{{}}}}}", part(0, 4),
                                               part(4, 3), part(7, 3), part(10, 3)))}};
  }

  // Whether cuBLASLt was the faster one for the product at these sizes.
  bool vendor_was_faster(const std::vector<int64_t>& sizes) const {
    if (!in_.plain) return false;
    const auto at = [&](size_t i) { return in_.plain->sizes[i].at(sizes); };
    return at(0) == 1 && std::ranges::any_of(in_.times, [&](const VendorTime& each) {
             const bool same = at(1) == each.m && at(2) == each.n;
             const bool transposed = at(1) == each.n && at(2) == each.m;
             return (same || transposed) && at(3) == each.k && each.vendor_us < each.ours_us;
           });
  }

  std::vector<cpp::Statement> last_tables() const {
    std::vector<cpp::Statement> out;
    std::vector<std::string> counts;
    std::vector<std::string> names;
    const SizeGrid& grid = in_.classes.order.grid;
    for (size_t d = 0; d < grid.nodes.size(); ++d) {
      out.push_back(
          line(fmt::format("constexpr int64_t kAxis{}[] = {{{}}}", d, fmt::join(grid.nodes[d], ", "))));
      counts.push_back(std::to_string(grid.nodes[d].size()));
      names.push_back(fmt::format("kAxis{}", d));
    }
    out.push_back(line("constexpr int kAxisCount[] = " + braces(counts)));
    out.push_back(line("constexpr const int64_t* kAxis[] = " + braces(names)));
    std::string rows;
    std::vector<std::string> vendor;
    const auto points = grid.points();
    for (size_t i = 0; i < points.size(); ++i) {
      rows += fmt::format("    {},\n", fmt::join(in_.classes.order.best[i], ", "));
      vendor.emplace_back(vendor_was_faster(points[i]) ? "1" : "0");
    }
    out.push_back(line(fmt::format("constexpr uint8_t kBest[] = {{\n{}}}", rows)));
    out.push_back(line("constexpr uint8_t kVendorFirst[] = " + braces(vendor)));
    if (in_.plain) {
      out.push_back(line(
          fmt::format("constexpr uc_dispatch::PlainGemm kPlain = {{{}, {}, uc_cublaslt::{}, plain_sizes}}",
                      in_.plain->a, in_.plain->b, in_.plain->compute)));
    }
    out.push_back(
        line(fmt::format("constexpr uc_dispatch::Tables kTables = {{{}, kNames, kDeclared, {}, "
                         "kKernels, kAxisCount, kAxis, kBest, kVendorFirst, {}}}",
                         program_.dims.size(), count_, in_.plain ? "&kPlain" : "nullptr")));
    return out;
  }

  cpp::Function method(std::string head, std::vector<std::string> params, std::string call,
                       std::string suffix = {}) const {
    return {std::move(head), std::move(params), {line("return " + std::move(call))}, std::move(suffix)};
  }

  cpp::Struct program_class() const {
    std::vector<std::string> names;
    for (const Dim& dim : program_.dims) names.push_back("sizes." + dim.name);
    const std::string at =
        fmt::format("std::array<int64_t, {}>{{{}}}.data()", names.size(), fmt::join(names, ", "));
    const std::string rest = "void* workspace, size_t bytes, ucutlass_stream stream";
    cpp::Struct out{"struct Program", {}};
    auto& members = out.members;
    members.push_back(
        cpp::Comment{"Loads every library of the folder on a device. False: error() says why."});
    members.push_back(
        method("bool open", {"const std::string& folder", "int device"}, "all_.open(folder, device)"));
    members.push_back(cpp::Comment{"Load time: prepares the weights for all kernels. Enqueues on `stream`."});
    members.push_back(
        method("bool prepack", {"const Params& params", "void* packed", rest},
               "all_.prepack(tables::operands(nullptr, params), packed, workspace, bytes, stream)"));
    members.push_back(
        cpp::Comment{"Enqueues the program on `stream`; nothing is enqueued when it returns false."});
    members.push_back(cpp::Function{
        "bool run",
        {"const Sizes& sizes", "const Inputs& inputs", "const Params& params", "const void* packed",
         "const Outputs& outputs", rest},
        {line(fmt::format("const std::array<int64_t, {}> at = {{{}}}", names.size(), fmt::join(names, ", "))),
         line("return all_.run(at.data(), tables::operands(at.data(), inputs), tables::operands(at.data(), "
              "params), "
              "packed, tables::operands(at.data(), outputs), workspace, bytes, stream)")}});
    members.push_back(cpp::Comment{"Who serves a call of these sizes."});
    members.push_back(
        method("uc_dispatch::Choice choose", {"const Sizes& sizes"}, "all_.choose(" + at + ")", "const"));
    members.push_back(
        method("size_t workspace_bytes", {"const Sizes& sizes"}, "all_.workspace_bytes(" + at + ")"));
    for (const char* name : {"size_t packed_bytes", "size_t prepack_workspace_bytes", "const char* error",
                             "const char* vendor_status"}) {
      const std::string_view head = name;
      members.push_back(
          method(name, {}, fmt::format("all_.{}()", head.substr(head.rfind(' ') + 1)), "const"));
    }
    members.push_back(line("uc_dispatch::Dispatcher all_{tables::kTables}"));
    return out;
  }

  const Catalog& catalog_;
  const DispatchInput& in_;
  const Program& program_;
  std::string hash_;
  size_t count_;
};

}  // namespace

std::vector<SizeRange> declared_ranges(const Program& program) {
  std::vector<SizeRange> out;
  for (const Dim& dim : program.dims) out.push_back({dim.least(), dim.most(), dim.step});
  return out;
}

std::string dispatch_hash(const SizeClasses& classes) {
  std::string all;
  for (const SizeClass& each : classes.classes)
    all += fmt::format("{} {}\n", each.emitted.hash, fmt::join(each.sizes, " "));
  for (const auto& nodes : classes.order.grid.nodes) all += fmt::format("{}\n", fmt::join(nodes, " "));
  for (const auto& best : classes.order.best) all += fmt::format("{}\n", fmt::join(best, " "));
  return short_hash(all);
}

Result<std::string> emit_dispatch(const Catalog& catalog, const DispatchInput& input) {
  return Dispatch(catalog, input).run();
}

}  // namespace uc
