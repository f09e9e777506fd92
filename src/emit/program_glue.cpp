#include "emit/program_glue.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emit/conv_tables.h"
#include "emit/cpp_tree.h"
#include "emit/map_kernel.h"

namespace uc {
namespace {

constexpr size_t kRank = 8;  // UC_MAX_RANK of uc_kernel_args.h
constexpr int64_t kAlign =
    16;  // what vector accesses and the tensor memory accelerator need of a pointer, bytes

std::string numbers(const std::vector<int64_t>& values) {
  std::vector<int64_t> padded = values;
  padded.resize(kRank, 0);
  return fmt::format("{{{}}}", fmt::join(padded, ", "));
}

std::string_view where_name(Location::Kind kind) {
  switch (kind) {
    case Location::Kind::input: return "kInput";
    case Location::Kind::param: return "kParam";
    case Location::Kind::packed: return "kPacked";
    case Location::Kind::workspace: return "kWorkspace";
    case Location::Kind::output: return "kOutput";
    case Location::Kind::none: break;
  }
  return "kNone";
}

class Glue {
 public:
  explicit Glue(const GlueInput& input) : in_(input) {
    for (const EmittedKernel& kernel : in_.kernels) {
      if (std::find(hashes_.begin(), hashes_.end(), kernel.hash) == hashes_.end())
        hashes_.push_back(kernel.hash);
    }
  }

  std::string run() {
    cpp::File file;
    auto& decls = file.decls;
    decls.push_back(
        cpp::Comment{fmt::format("Program {}: tables only, the code is uc_runtime.h.", in_.hash)});
    decls.push_back(cpp::Include{"\"uc_runtime.h\""});
    for (const std::string& hash : hashes_) decls.push_back(cpp::Verbatim{declare_kernel(hash)});
    std::string tables = "\nnamespace uc_runtime {\nnamespace {\n";
    tables += tensors("inputs", in_.program.inputs) + tensors("params", in_.program.params) +
              tensors("outputs", in_.program.results);
    tables += kernels();
    for (size_t i = 0; i < in_.launches.size(); ++i) tables += launch_tables(i);
    tables += launches();
    tables += fmt::format("const char manifest[] =\n{};\n", quote_lines(emit_manifest(in_)));
    tables += "}  // namespace\n\n" + program() + "}  // namespace uc_runtime\n\n" + exports();
    decls.push_back(cpp::Verbatim{std::move(tables)});
    return print(file);
  }

 private:
  std::string declare_kernel(const std::string& hash) const {
    std::string text = fmt::format(
        "\nasm(\".pushsection .rodata\\n.balign 64\\nuck_{0}_cubin:\\n.incbin \\\"{0}.cubin\\\"\\n.byte "
        "0\\n.popsection\\n\");\n"
        "extern \"C\" {{\nextern const unsigned char uck_{0}_cubin[] "
        "__attribute__((visibility(\"hidden\")));\n",
        hash);
    if (kernel_of(hash).has_host()) {
      text += fmt::format(
          "int64_t uck_{0}_scratch(const uck_gemm*);\nint uck_{0}_params_bytes(int);\nvoid "
          "uck_{0}_shape(int, uck_geometry*);\nint uck_{0}_prepare(const uck_gemm*, int, void*, "
          "uck_geometry*);\n",
          hash);
      if (kernel_of(hash).packs) text += fmt::format("int64_t uck_{}_packed(const uck_gemm*);\n", hash);
    }
    return text + "}\n";
  }

  const EmittedKernel& kernel_of(const std::string& hash) const {
    return *std::find_if(in_.kernels.begin(), in_.kernels.end(),
                         [&](const EmittedKernel& kernel) { return kernel.hash == hash; });
  }

  std::string tensors(std::string_view table, const std::vector<ValueId>& ids) const {
    std::string text = fmt::format("const Tensor {}[] = {{\n", table);
    for (const ValueId id : ids) {
      const Value& value = in_.program[id];
      text += fmt::format("  {{{}, {}, {}, {}, {}, {}, {}}},\n", cpp::quote(value.name),
                          static_cast<int>(value.dtype), value.shape.size(), numbers(value.shape),
                          numbers(value.stride), size_bytes(value.dtype), kAlign);
    }
    return text + (ids.empty() ? "  {}" : "") + "};\n";
  }

  std::string kernels() const {
    std::string text = "const Kernel kernels[] = {\n";
    int first = 0;
    for (const std::string& hash : hashes_) {
      const EmittedKernel& kernel = kernel_of(hash);
      const std::string host =
          kernel.has_host()
              ? fmt::format("uck_{0}_scratch, uck_{0}_params_bytes, uck_{0}_shape, uck_{0}_prepare", hash)
              : "nullptr, nullptr, nullptr, nullptr";
      const std::string packed = kernel.packs ? fmt::format("uck_{}_packed", hash) : "nullptr";
      text += fmt::format("  {{\"uck_{0}\", uck_{0}_cubin, {1}, {2}, {3}, {4}}},\n", hash, kernel.parts,
                          first, host, packed);
      first += kernel.parts;
    }
    return text + "};\n";
  }

  std::string view(const View& view, const Strides& stride) const {
    const Location& at = in_.buffers.location[view.value.index()];
    const int64_t bytes = static_cast<int64_t>(at.offset) + view.offset * size_bytes(view.dtype);
    return fmt::format("{{{}, {}, {}, {}}}", where_name(at.kind), at.index, bytes, numbers(stride));
  }

  std::string launch_tables(size_t index) const {
    if (const auto* gemm = std::get_if<Contraction>(&in_.launches[index].kernel))
      return gemm_tables(index, *gemm);
    if (const auto* map = std::get_if<Map>(&in_.launches[index].kernel)) return map_tables(index, *map);
    if (const auto* conv = std::get_if<Convolution>(&in_.launches[index].kernel))
      return conv_tables(index, *conv);
    return {};
  }

  std::string gemm_tables(size_t index, const Contraction& gemm) const {
    std::string text = fmt::format("const View operands{}[] = {{\n  {},\n  {}}};\n", index,
                                   view(gemm.a, gemm.a.stride), view(gemm.b, gemm.b.stride));
    text += fmt::format("const View views{}[] = {{\n", index);
    for (const View& each : gemm.epilogue.views) text += fmt::format("  {},\n", view(each, each.stride));
    return text + "};\n";
  }

  std::string conv_tables(size_t index, const Convolution& conv) const {
    std::string text = fmt::format(
        "const uck_conv conv{} = {};\nconst View operands{}[] = {{\n  {},\n  {}}};\n", index,
        conv_sizes(conv), index, view(conv.x, spread_strides(conv.x)), view(conv.w, filter_strides(conv)));
    text += fmt::format("const View views{}[] = {{\n", index);
    for (const View& each : conv.epilogue.views)
      text += fmt::format("  {},\n", view(each, spread_strides(each)));
    return text + "};\n";
  }

  std::string map_tables(size_t index, const Map& map) const {
    const auto& config = std::get<MapConfig>(in_.launches[index].config);
    std::string text;
    std::string bodies = fmt::format("const Body bodies{}[] = {{\n", index);
    for (size_t b = 0; b < map.bodies.size(); ++b) {
      const CollapsedBody collapsed = collapse(map.bodies[b], config.vector);
      text += fmt::format("const View views{}_{}[] = {{\n", index, b);
      for (size_t v = 0; v < collapsed.stride.size(); ++v)
        text += fmt::format("  {},\n", view(map.bodies[b].scalar.views[v], collapsed.stride[v]));
      text += "};\n";
      bodies += fmt::format("  {{{}, {}, views{}_{}, {}}},\n", numel(collapsed.shape) / collapsed.vector,
                            numbers(collapsed.shape), index, b, collapsed.stride.size());
    }
    return text + bodies + "};\n";
  }

  // What the kernel makes of B is the same for every call: B is made when weights are loaded.
  bool keeps(size_t index) const {
    const auto& gemm = std::get<Contraction>(in_.launches[index].kernel);
    return in_.kernels[index].packs && in_.launches[index].phase != Phase::load &&
           in_.buffers.location[gemm.b.value.index()].kind == Location::Kind::packed;
  }

  std::string launches() const {
    std::string text = "const Launch launches[] = {\n";
    for (size_t i = 0; i < in_.launches.size(); ++i) {
      const Launch& launch = in_.launches[i];
      const size_t kernel = static_cast<size_t>(
          std::find(hashes_.begin(), hashes_.end(), in_.kernels[i].hash) - hashes_.begin());
      const std::string_view load = launch.phase == Phase::load ? "true" : "false";
      if (const auto* gemm = std::get_if<Contraction>(&launch.kernel)) {
        const auto& config = std::get<ContractionConfig>(launch.config);
        text += fmt::format(
            "  {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, &operands{}[0], &operands{}[1], views{}, {}, "
            "nullptr, "
            "0, 0}},\n",
            kernel, load, keeps(i), gemm->batch(), gemm->m(), gemm->n(), gemm->k(),
            static_cast<int>(config.raster), std::max<int64_t>(config.swizzle, 1), config.split, i, i, i,
            gemm->epilogue.views.size());
      } else if (const auto* conv = std::get_if<Convolution>(&launch.kernel)) {
        const auto& config = std::get<ContractionConfig>(launch.config);
        text += fmt::format(
            "  {{{0}, {1}, false, 0, 0, 0, 0, {2}, {3}, {4}, &operands{5}[0], &operands{5}[1], views{5}, "
            "{6}, "
            "nullptr, 0, 0, &conv{5}}},\n",
            kernel, load, static_cast<int>(config.raster), std::max<int64_t>(config.swizzle, 1), config.split,
            i, conv->epilogue.views.size());
      } else {
        const auto& config = std::get<MapConfig>(launch.config);
        text += fmt::format(
            "  {{{}, {}, false, 0, 0, 0, 0, 0, 0, 0, nullptr, nullptr, nullptr, 0, bodies{}, {}, {}}},\n",
            kernel, load, i, std::get<Map>(launch.kernel).bodies.size(),
            config.threads == 0 ? kMapThreads : config.threads);
      }
    }
    return text + "};\n";
  }

  std::string program() const {
    int functions = 0;
    for (const std::string& hash : hashes_) functions += kernel_of(hash).parts;
    const Capability arch = capability(in_.program.target);
    return fmt::format(
        "extern const Program program = {{\"{}\", manifest, inputs, params, outputs, {}, {}, {}, kernels, "
        "{}, {}, launches, {}, {}ull, {}ull, {}, {}, {}}};\n",
        in_.hash, in_.program.inputs.size(), in_.program.params.size(), in_.program.results.size(),
        hashes_.size(), functions, in_.launches.size(), in_.buffers.packed_bytes, in_.buffers.workspace_bytes,
        arch.major, arch.minor, arch.exact);
  }

  // Of "sm_90a": 9.0 and no other; of "sm_86": 8.6 and later ones of major 8.
  struct Capability {
    int major, minor;
    bool exact;
  };
  static Capability capability(std::string_view target) {
    int number = 0;
    for (const char c : target) {
      if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
    }
    return {number / 10, number % 10, target.ends_with('a')};
  }

  std::string exports() const {
    return fmt::format(
        "#ifdef UC_STATIC\nextern \"C\" const ucutlass_api* ucutlass_{0}_api(uint32_t abi) {{ return "
        "uc_runtime::api(abi); }}\n#else\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) const ucutlass_api* ucutlass_get_api(uint32_t "
        "abi) {{ return uc_runtime::api(abi); }}\n#endif\n",
        in_.hash);
  }

  static std::string quote_lines(const std::string& text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      out += (out.empty() ? "    " : "\n    ") + cpp::quote(std::string_view(text).substr(at, end - at));
      at = end;
    }
    return out.empty() ? "\"\"" : out;
  }

  const GlueInput& in_;
  std::vector<std::string> hashes_;
};

nlohmann::ordered_json tensor_json(const Value& value) {
  return {{"name", value.name},   {"dtype", name(value.dtype)},
          {"shape", value.shape}, {"stride", value.stride},
          {"align", kAlign},      {"binding", value.binding}};
}

}  // namespace

std::string emit_glue(const GlueInput& input) { return Glue(input).run(); }

std::string emit_manifest(const GlueInput& input) {
  nlohmann::ordered_json json;
  json["schema"] = "ucutlass.manifest/1";
  json["program"] = input.hash;
  json["name"] = input.program.name;
  json["target"] = input.program.target;
  json["precision"] = name(input.program.precision);
  json["dims"] = nlohmann::ordered_json::array();
  const auto list = [&](const char* key, const std::vector<ValueId>& ids) {
    json[key] = nlohmann::ordered_json::array();
    for (const ValueId id : ids) json[key].push_back(tensor_json(input.program[id]));
  };
  list("inputs", input.program.inputs);
  list("params", input.program.params);
  list("outputs", input.program.results);
  json["packed_bytes"] = input.buffers.packed_bytes;
  json["workspace_bytes"] = input.buffers.workspace_bytes;
  json["kernels"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < input.kernels.size(); ++i) {
    json["kernels"].push_back({{"hash", input.kernels[i].hash},
                               {"phase", input.launches[i].phase == Phase::load ? "load" : "run"},
                               {"summary", input.kernels[i].summary}});
  }
  json["source"] = input.source;
  return json.dump(1) + "\n";
}

}  // namespace uc
