#include "compiler/dispatch.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "emit/templates.h"

namespace uc {
namespace {

std::string view_text(const Compiled& compiled, const View& view) {
  const Location& at = compiled.buffers.location[view.value.index()];
  return fmt::format("{} {} {} {} {} {} {};", static_cast<int>(at.kind), at.index, at.offset, view.offset,
                     static_cast<int>(view.dtype), fmt::join(view.shape, ","), fmt::join(view.stride, ","));
}

/// All that decides what prepared memory holds: equal texts, equal memory for equal params. Where a kernel
/// keeps something of its own there, its layout is that kernel's affair, and the memory is not shared.
std::string load_text(const CompiledSize& each) {
  std::string out = fmt::format("{} bytes\n", each.compiled.buffers.packed_bytes);
  if (std::ranges::any_of(each.emitted.kernels, &EmittedKernel::packs)) out += each.emitted.hash;
  for (size_t i = 0; i < each.compiled.launches.size(); ++i) {
    const Launch& launch = each.compiled.launches[i];
    if (launch.phase != Phase::load) continue;
    out += each.emitted.kernels[i].hash + ":";
    for (const View* view : views_of(launch.kernel)) out += view_text(each.compiled, *view);
  }
  return out;
}

std::string fields(const Program& program, const std::vector<ValueId>& ids, std::string_view of,
                   std::string_view group) {
  std::string out;
  for (const ValueId id : ids)
    out += fmt::format("  decltype({}::{}::{}) {};\n", of, group, program[id].name, program[id].name);
  return fmt::format("struct {} {{\n{}}};\n", group, out);
}

std::string members(const Program& program, const std::vector<ValueId>& ids, std::string_view from) {
  std::string out;
  for (const ValueId id : ids) out += fmt::format("{}{}.{}", out.empty() ? "" : ", ", from, program[id].name);
  return "{" + out + "}";
}

class Dispatch {
 public:
  Dispatch(const Program& program, const std::vector<CompiledSize>& set) : program_(program), set_(set) {
    for (const CompiledSize& each : set) {
      const std::string text = load_text(each);
      const auto same = std::ranges::find(loads_, text);
      owner_.push_back(static_cast<size_t>(same - loads_.begin()));
      loads_.push_back(text);
    }
  }

  std::string run() const {
    std::string text(support_file("dispatch_header.h.in"));
    const auto put = [&text](std::string_view key, const std::string& value) {
      text = replace_all(std::move(text), "@" + std::string(key) + "@", value);
    };
    put("HASH", dispatch_hash(set_));
    put("COUNT", std::to_string(set_.size()));
    put("DIMS", std::to_string(program_.dims.size()));
    put("INCLUDES", joined("#include \"{0}.h\"\n"));
    put("SIZES", sizes_struct());
    put("TABLE", table());
    put("GROUPS", groups());
    put("OPEN", joined("      case {1}: return p{1}_.open((folder + \"/{0}.so\").c_str(), device) || "
                       "failed(p{1}_.error());\n"));
    put("PREPACK", prepack());
    put("RUN", runs());
    put("PACKED", joined("      case {1}: return p{1}_.packed_bytes();\n"));
    put("WORKSPACE", joined("      case {1}: return p{1}_.workspace_bytes();\n"));
    put("OWNER", fmt::format("{}", fmt::join(owner_, ", ")));
    put("MEMBERS", joined("  {0}::Program p{1}_;\n"));
    return text;
  }

 private:
  std::string stem(size_t i) const { return "ucutlass_" + set_[i].emitted.hash; }

  std::string joined(std::string_view format) const {
    std::string out;
    for (size_t i = 0; i < set_.size(); ++i) out += fmt::format(fmt::runtime(format), stem(i), i);
    return out;
  }

  std::string sizes_struct() const {
    std::string names;
    std::string values;
    for (const Dim& dim : program_.dims) {
      names += fmt::format("  int64_t {};   // {}..{} step {}\n", dim.name, dim.low, dim.high, dim.step);
      values += fmt::format("{}sizes.{}", values.empty() ? "" : ", ", dim.name);
    }
    std::string labels;
    for (const Dim& dim : program_.dims) labels += fmt::format("\"{}\", ", dim.name);
    return fmt::format(
        "struct Sizes {{\n{}}};\ninline std::array<int64_t, {}> values(const Sizes& sizes) {{ return {{{}}}; "
        "}}\nconstexpr const char* kNames[] = {{{}}};\n",
        names, program_.dims.size(), values, labels);
  }

  std::string table() const {
    std::string out;
    for (const CompiledSize& each : set_) out += fmt::format("    {{{}}},\n", fmt::join(each.sizes, ", "));
    return out;
  }

  std::string groups() const {
    return fields(program_, program_.inputs, stem(0), "Inputs") +
           fields(program_, program_.params, stem(0), "Params") +
           fields(program_, program_.results, stem(0), "Outputs");
  }

  std::string prepack() const {
    std::string out;
    for (size_t i = 0; i < set_.size(); ++i) {
      out += fmt::format(
          "      case {0}: return p{0}_.prepack({1}, packed, workspace, stream) || failed(p{0}_.error());\n",
          i, members(program_, program_.params, "params"));
    }
    return out;
  }

  std::string runs() const {
    std::string out;
    for (size_t i = 0; i < set_.size(); ++i) {
      out += fmt::format(
          "      case {0}: return p{0}_.run({1}, {2}, at, {3}, workspace, stream) || "
          "failed(p{0}_.error());\n",
          i, members(program_, program_.inputs, "inputs"), members(program_, program_.params, "params"),
          members(program_, program_.results, "outputs"));
    }
    return out;
  }

  const Program& program_;
  const std::vector<CompiledSize>& set_;
  std::vector<std::string> loads_;
  std::vector<size_t> owner_;  // the first entry that prepares weights the same way
};

}  // namespace

std::string dispatch_hash(const std::vector<CompiledSize>& set) {
  std::string all;
  for (const CompiledSize& each : set)
    all += fmt::format("{} {}\n", each.emitted.hash, fmt::join(each.sizes, " "));
  return short_hash(all);
}

std::string emit_dispatch(const Program& program, const std::vector<CompiledSize>& set) {
  return Dispatch(program, set).run();
}

}  // namespace uc
