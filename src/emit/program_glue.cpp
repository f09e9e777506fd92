#include "emit/program_glue.h"

#include <algorithm>
#include <fmt/format.h>

#include "emit/conv_tables.h"
#include "emit/cpp_tree.h"
#include "emit/glue_parts.h"
#include "emit/map_kernel.h"
#include "emit/rows_kernel.h"
#include "plan/conv_product.h"

namespace uc {
namespace {

constexpr size_t kRank = 8;  // UC_MAX_RANK of uc_kernel_args.h

class Glue {
 public:
  explicit Glue(const GlueInput& input, const GlueSizes* sizes = nullptr) : in_(input), sizes_(sizes) {
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
    for (const std::string& hash : hashes_) decls.push_back(cpp::Verbatim{declare_kernel(kernel_of(hash))});
    decls.push_back(cpp::Verbatim{"\nnamespace uc_runtime {\nnamespace {\n" + kernels() + dims() +
                                  fmt::format("const char manifest[] =\n{};\n}}  // namespace\n\n",
                                              quote_lines(emit_manifest(in_, sizes_)))});
    decls.push_back(cpp::Function{"void with_tables",
                                  {"const int64_t* d", "void (*then)(void*, const Sized&)", "void* context"},
                                  tables()});
    decls.push_back(cpp::Verbatim{"\n" + program() + "}  // namespace uc_runtime\n\n" + exports()});
    return print(file);
  }

  GlueNumbers numbers() {
    GlueNumbers out;
    recorded_ = &out.values;
    for (const cpp::Statement& each : tables()) out.rest += each.text + "\n";
    return out;
  }

 private:
  const EmittedKernel& kernel_of(const std::string& hash) const {
    return *std::find_if(in_.kernels.begin(), in_.kernels.end(),
                         [&](const EmittedKernel& kernel) { return kernel.hash == hash; });
  }

  // A number that may depend on sizes.
  std::string number(const SizedNumber& number) {
    if (recorded_ != nullptr) return recorded_->push_back(number), "#";
    return sizes_ == nullptr ? std::to_string(number.value) : sizes_->formulas.at(next_++);
  }

  template <class Numbers>
  std::string numbers(const Numbers& values) {
    std::string out;
    for (size_t i = 0; i < kRank; ++i)
      out += (i == 0 ? "" : ", ") + (i < values.size() ? number(values[i]) : "0");
    return "{" + out + "}";
  }

  std::string strides(const Shape& shape, const Strides& stride) {
    std::vector<SizedNumber> out;
    for (size_t i = 0; i < stride.size(); ++i) out.push_back(sized_stride(shape[i], stride[i]));
    return numbers(out);
  }

  // Tables that are the same in every call are made when the library is.
  std::string_view kept() const { return sizes_ == nullptr ? "static const " : "const "; }

  cpp::Statement table(std::string_view type, std::string_view name, const std::string& rows) const {
    return cpp::line(fmt::format("{}{} {}[] = {{\n{}  }}", kept(), type, name, rows));
  }

  std::vector<cpp::Statement> tables() {
    std::vector<cpp::Statement> out{cpp::line("(void)d")};
    out.push_back(table("Tensor", "inputs", tensors(in_.program.inputs)));
    out.push_back(table("Tensor", "params", tensors(in_.program.params)));
    out.push_back(table("Tensor", "outputs", tensors(in_.program.results)));
    for (size_t i = 0; i < in_.launches.size(); ++i) launch_tables(i, out);
    out.push_back(table("Launch", "launches", launches()));
    out.push_back(cpp::line(fmt::format("then(context, {{inputs, params, outputs, launches, {}ull, {}ull}})",
                                        in_.buffers.packed_bytes, in_.buffers.workspace_bytes)));
    return out;
  }

  std::string tensors(const std::vector<ValueId>& ids) {
    std::string text;
    for (const ValueId id : ids) {
      const Value& value = in_.program[id];
      const std::string shape = numbers(value.shape);
      text += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}}},\n", cpp::quote(value.name),
                          static_cast<int>(value.dtype), value.shape.size(), shape,
                          strides(value.shape, value.stride), size_bytes(value.dtype), kGlueAlign);
    }
    return ids.empty() ? "    {}\n" : text;
  }

  std::string dims() const {
    std::string text = "const Dim dims[] = {\n";
    if (sizes_ == nullptr || sizes_->dims.empty()) return text + "  {}};\n";
    for (const GlueSizes::Range& dim : sizes_->dims)
      text += fmt::format("  {{{}, {}, {}, {}, {}}},\n", cpp::quote(dim.name), dim.low, dim.high, dim.step,
                          dim.chosen);
    return text + "};\n";
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

  std::string view(const View& view, const Shape& shape, const Strides& stride) {
    const int64_t own = view.offset * size_bytes(view.dtype);
    if (!view.value) {
      const std::string bytes = number(own);
      return fmt::format("{{kScratch, 0, {}, {}}}", bytes, strides(shape, stride));
    }
    const Location& at = in_.buffers.location[view.value.index()];
    const std::string bytes = number(static_cast<int64_t>(at.offset) + own);
    return fmt::format("{{{}, {}, {}, {}}}", where_name(at.kind), at.index, bytes, strides(shape, stride));
  }

  void launch_tables(size_t index, std::vector<cpp::Statement>& out) {
    if (const auto* gemm = std::get_if<Contraction>(&in_.launches[index].kernel)) {
      gemm_tables(index, *gemm, out);
    } else if (const auto* map = std::get_if<Map>(&in_.launches[index].kernel)) {
      map_tables(index, *map, out);
    } else if (const auto* conv = std::get_if<Convolution>(&in_.launches[index].kernel)) {
      conv_tables(index, *conv, out);
    } else if (const auto* rows = std::get_if<Rows>(&in_.launches[index].kernel)) {
      rows_tables(index, *rows, out);
    } else if (const auto* attention = std::get_if<Attention>(&in_.launches[index].kernel)) {
      attention_tables(index, *attention, out);
    }
  }

  // v and what score and epilogue read and write are the views, in this order.
  void attention_tables(size_t index, const Attention& kernel, std::vector<cpp::Statement>& out) {
    const std::string heads = number(kernel.heads());
    const std::string kv_heads = number(kernel.kv_heads());
    out.push_back(
        cpp::line(fmt::format("{}uck_attention attention{} = {{{}, {}}}", kept(), index, heads, kv_heads)));
    std::string rows = fmt::format("    {},\n", view(kernel.q, kernel.q.shape, kernel.q.stride));
    rows += fmt::format("    {},\n", view(kernel.k, kernel.k.shape, kernel.k.stride));
    out.push_back(table("View", fmt::format("operands{}", index), rows));
    rows = fmt::format("    {},\n", view(kernel.v, kernel.v.shape, kernel.v.stride));
    for (const Scalar* scalar : {&kernel.score, &kernel.epilogue}) {
      for (const View& each : scalar->views)
        rows += fmt::format("    {},\n", view(each, each.shape, each.stride));
    }
    out.push_back(table("View", fmt::format("views{}", index), rows));
  }

  void gemm_tables(size_t index, const Contraction& gemm, std::vector<cpp::Statement>& out) {
    std::string rows = fmt::format("    {},\n", view(gemm.a, gemm.a.shape, gemm.a.stride));
    rows += fmt::format("    {},\n", view(gemm.b, gemm.b.shape, gemm.b.stride));
    out.push_back(table("View", fmt::format("operands{}", index), rows));
    rows.clear();
    for (const View& each : gemm.epilogue.views)
      rows += fmt::format("    {},\n", view(each, each.shape, each.stride));
    if (gemm.ends) rows += fmt::format("    {},\n", view(*gemm.ends, gemm.ends->shape, gemm.ends->stride));
    for (const auto* scale : {&gemm.a_scale, &gemm.b_scale}) {
      if (*scale) rows += fmt::format("    {},\n", view(**scale, (*scale)->shape, (*scale)->stride));
    }
    out.push_back(table("View", fmt::format("views{}", index), rows));
  }

  void conv_tables(size_t index, const Convolution& conv, std::vector<cpp::Statement>& out) {
    std::string sizes;
    const std::vector<int64_t> values = conv_sizes(conv);
    for (size_t i = 0; i < values.size(); ++i) {  // four of 64 bits, then windows of 32
      const std::string each = number(values[i]);
      sizes += (i == 0 ? "" : ", ") + (i < 4 ? each : fmt::format("int32_t({})", each));
    }
    out.push_back(cpp::line(fmt::format("{}uck_conv conv{} = {{{}}}", kept(), index, sizes)));
    std::string rows = fmt::format("    {},\n", view(conv.x, spread_shape(conv.x), spread_strides(conv.x)));
    rows += fmt::format("    {},\n", view(conv.w, filter_shape(conv), filter_strides(conv)));
    out.push_back(table("View", fmt::format("operands{}", index), rows));
    rows.clear();
    if (in_.kernels[index].as_product && !in_.kernels[index].by_pixels) {
      for (const View& each : conv_product(conv).epilogue.views)
        rows += fmt::format("    {},\n", view(each, each.shape, each.stride));
    } else {
      for (const View& each : conv.epilogue.views)
        rows += fmt::format("    {},\n", view(each, spread_shape(each), spread_strides(each)));
    }
    out.push_back(table("View", fmt::format("views{}", index), rows));
  }

  void map_tables(size_t index, const Map& map, std::vector<cpp::Statement>& out) {
    const auto& config = std::get<MapConfig>(in_.launches[index].config);
    std::string bodies;
    for (size_t b = 0; b < map.bodies.size(); ++b) {
      const CollapsedBody collapsed = collapse(map.bodies[b], config.vector);
      std::string rows;
      for (size_t v = 0; v < collapsed.stride.size(); ++v)
        rows += fmt::format("    {},\n",
                            view(map.bodies[b].scalar.views[v], collapsed.shape, collapsed.stride[v]));
      out.push_back(table("View", fmt::format("views{}_{}", index, b), rows));
      const std::string vectors = number(numel(collapsed.shape) / collapsed.vector);
      const std::string tile =
          collapsed.tile
              ? fmt::format(", {{{}, {}, {}, {}}}, {}", collapsed.tile->across, collapsed.tile->batches,
                            collapsed.tile->rows, collapsed.tile->columns, collapsed.shape.size())
              : std::string();
      bodies += fmt::format("    {{{}, {}, views{}_{}, {}{}}},\n", vectors, numbers(collapsed.shape), index,
                            b, collapsed.stride.size(), tile);
    }
    out.push_back(table("Body", fmt::format("bodies{}", index), bodies));
  }

  void rows_tables(size_t index, const Rows& kernel, std::vector<cpp::Statement>& out) {
    const auto phases = rows_phases(kernel, std::get<RowsConfig>(in_.launches[index].config));
    for (size_t p = 0; p < phases.size(); ++p) {
      std::string rows;
      for (size_t v = 0; v < phases[p].shape.stride.size(); ++v)
        rows += fmt::format("    {},\n", view(phases[p].rows.body.views[v], phases[p].shape.extents(),
                                              phases[p].shape.stride[v]));
      out.push_back(table("View", fmt::format("views{}_{}", index, p), rows));
    }
    if (rows_windowed(kernel)) {
      std::string rows;
      for (const View& each : kernel.body.views) {
        const std::string least = number(each.windowed() ? each.least : 0);
        rows += fmt::format("    {{{}, {}}},\n", least, number(each.windowed() ? each.most : 0));
      }
      out.push_back(cpp::line(fmt::format("{}int64_t limits{}[][2] = {{\n{}  }}", kept(), index, rows)));
    }
    const std::string limits = rows_windowed(kernel) ? fmt::format("limits{}", index) : "nullptr";
    std::string parts;
    for (const RowsFunction& each : rows_functions(phases)) {
      const auto& [rows, shape, layout] = phases[each.phase];
      const std::string count = number(shape.count());
      const std::string length = number(shape.length());
      parts +=
          fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, views{}_{}, {}, {}}},\n", layout.threads(),
                      layout.cluster, layout.rows_per_block(shape.outer), each.parts, layout.split, count,
                      length, numbers(shape.extents()), index, each.phase, shape.stride.size(), limits);
    }
    out.push_back(table("RowsPart", fmt::format("parts{}", index), parts));
    out.push_back(cpp::line(
        fmt::format("{}Rows rows{} = {{parts{}, {}}}", kept(), index, index, number(rows_scratch(phases)))));
  }

  // What the kernel makes of B is the same for every call: B is made when weights are loaded.
  bool keeps(size_t index) const {
    const auto& gemm = std::get<Contraction>(in_.launches[index].kernel);
    return in_.kernels[index].packs && in_.launches[index].phase != Phase::load &&
           in_.buffers.location[gemm.b.value.index()].kind == Location::Kind::packed;
  }

  std::string launches() {
    std::string text;
    for (size_t i = 0; i < in_.launches.size(); ++i) {
      const Launch& launch = in_.launches[i];
      const size_t kernel = static_cast<size_t>(
          std::find(hashes_.begin(), hashes_.end(), in_.kernels[i].hash) - hashes_.begin());
      const std::string_view load = launch.phase == Phase::load ? "true" : "false";
      if (const auto* gemm = std::get_if<Contraction>(&launch.kernel)) {
        text += fmt::format(
            "    {{{}, {}, {}, {}, &operands{}[0], &operands{}[1], views{}, {}, nullptr, 0, 0}},\n", kernel,
            load, keeps(i), gemm_numbers(*gemm, launch.config), i, i, i,
            gemm->epilogue.views.size() + (gemm->ends ? 1 : 0) + (gemm->a_scale ? 2 : 0));
      } else if (const auto* conv = std::get_if<Convolution>(&launch.kernel)) {
        const std::string numbers = in_.kernels[i].as_product
                                        ? gemm_numbers(conv_product(*conv), launch.config)
                                        : "0, 0, 0, 0, " + order_numbers(launch.config);
        text += fmt::format(
            "    {{{0}, {1}, false, {2}, &operands{3}[0], &operands{3}[1], views{3}, {4}, nullptr, 0, 0, "
            "&conv{3}}},\n",
            kernel, load, numbers, i, conv->epilogue.views.size());
      } else if (const auto* attention = std::get_if<Attention>(&launch.kernel)) {
        std::string sizes;
        for (const int64_t size :
             {attention->batch(), attention->queries(), attention->keys(), attention->head_dim()})
          sizes += number(size) + ", ";
        text += fmt::format(
            "    {{{0}, {1}, false, {2}0, 0, 0, &operands{3}[0], &operands{3}[1], views{3}, {4}, nullptr, 0, "
            "0, nullptr, nullptr, &attention{3}}},\n",
            kernel, load, sizes, i, 1 + attention->score.views.size() + attention->epilogue.views.size());
      } else if (std::holds_alternative<Rows>(launch.kernel)) {
        text += fmt::format(
            "    {{{}, {}, false, 0, 0, 0, 0, 0, 0, 0, nullptr, nullptr, nullptr, 0, nullptr, 0, 0, nullptr, "
            "&rows{}}},\n",
            kernel, load, i);
      } else if (const auto* map = std::get_if<Map>(&launch.kernel)) {
        const auto& config = std::get<MapConfig>(launch.config);
        text += fmt::format(
            "    {{{}, {}, false, 0, 0, 0, 0, 0, 0, 0, nullptr, nullptr, nullptr, 0, bodies{}, {}, {}}},\n",
            kernel, load, i, map->bodies.size(), config.threads == 0 ? kMapThreads : config.threads);
      }
    }
    return text;
  }

  std::string gemm_numbers(const Contraction& gemm, const Config& config) {
    std::string out;
    const int64_t matrices = gemm.ends ? gemm.groups() : gemm.batch();
    for (const int64_t extent : {matrices, gemm.m(), gemm.n(), gemm.k()}) out += number(extent) + ", ";
    return out + order_numbers(config);
  }

  static std::string order_numbers(const Config& knobs) {
    const auto& config = std::get<ContractionConfig>(knobs);
    return fmt::format("{}, {}, {}", static_cast<int>(config.raster), std::max<int64_t>(config.swizzle, 1),
                       config.split);
  }

  std::string program() const {
    int functions = 0;
    for (const std::string& hash : hashes_) functions += kernel_of(hash).parts;
    const Capability arch = capability(in_.program.target);
    return fmt::format(
        "extern const Program program = {{\"{}\", manifest, {}, {}, {}, kernels, {}, {}, {}, {}, {}, {}, "
        "dims, "
        "{}}};\n",
        in_.hash, in_.program.inputs.size(), in_.program.params.size(), in_.program.results.size(),
        hashes_.size(), functions, in_.launches.size(), arch.major, arch.minor, arch.exact,
        sizes_ == nullptr ? 0 : sizes_->dims.size());
  }

  std::string exports() const {
    return fmt::format(
        "#ifdef UC_STATIC\nextern \"C\" const ucutlass_api* ucutlass_{0}_api(uint32_t abi) {{ return "
        "uc_runtime::api(abi); }}\n#else\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) const ucutlass_api* ucutlass_get_api(uint32_t "
        "abi) {{ return uc_runtime::api(abi); }}\n#endif\n",
        in_.hash);
  }

  const GlueInput& in_;
  const GlueSizes* sizes_;
  std::vector<SizedNumber>* recorded_ = nullptr;  // numbers go there, and are left out of the text
  size_t next_ = 0;                               // formula
  std::vector<std::string> hashes_;
};

}  // namespace

GlueNumbers glue_numbers(const GlueInput& input) { return Glue(input).numbers(); }

std::string emit_glue(const GlueInput& input, const GlueSizes* sizes) { return Glue(input, sizes).run(); }

}  // namespace uc
