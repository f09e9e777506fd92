#include "emit/cutlass3_gemm.h"

#include <fmt/format.h>
#include <optional>
#include <set>

#include "catalog/scalar_fn.h"
#include "emit/cpp_tree.h"
#include "emit/kernel_hash.h"
#include "emit/scalar_cpp.h"
#include "plan/epilogue_leaves.h"

namespace uc {
namespace {

using cpp::line;
using cpp::make;
using cpp::Type;

// For tf32 the operands stay f32: the tensor memory accelerator rounds them on the way in, where tfloat32_t
// would make the tensor core truncate.
std::string operand_type(DType dtype) { return std::string(info(dtype).cutlass); }

// K unit stride: A is row major, B (as CUTLASS writes it, K x N) column major.
bool k_major(const View& view) { return view.shape[2] == 1 || view.stride[2] == 1; }

std::string layout_name(bool row) {
  return row ? "cutlass::layout::RowMajor" : "cutlass::layout::ColumnMajor";
}

int64_t alignment(DType dtype) { return 16 / size_bytes(dtype); }

Type shape(int64_t m, int64_t n, int64_t k) {
  return make("Shape", fmt::format("_{}", m), fmt::format("_{}", n), fmt::format("_{}", k));
}

class GemmEmitter {
 public:
  GemmEmitter(const Contraction& kernel, const ContractionConfig& config, const GemmPart& part)
      : kernel_(kernel),
        config_(config),
        part_(part),
        segments_(*cut_segments(kernel.epilogue)),
        source_(source_view(kernel.epilogue, segments_)) {}

  EmittedKernel run() {
    EmittedKernel out;
    out.needs_cutlass = true;
    out.device_source = device();
    out.host_source = host();
    out.summary = summary();
    return out;
  }

 private:
  const View& d() const { return kernel_.epilogue.views[segments_.back().store]; }
  bool pingpong() const { return config_.schedule == ContractionConfig::Schedule::pingpong; }

  std::string summary() const {
    return fmt::format("{} gemm {}x{}x{} cluster {}x{} {} stages {}", name(kernel_.math), config_.tile_m,
                       config_.tile_n, config_.tile_k, config_.cluster_m, config_.cluster_n,
                       name(config_.schedule), config_.stages == 0 ? "auto" : std::to_string(config_.stages));
  }

  // ---- the functor of one segment, over arrays of accumulator fragments

  std::string functor_name(size_t index) const { return fmt::format("Segment{}", index); }

  std::vector<cpp::Decl> functor(size_t index) const {
    const Segment& segment = segments_[index];
    std::vector<std::string> params{"Array const& acc"};
    ScalarSpelling spelling;
    spelling.running = "acc[i]";
    spelling.given = segment.from;
    spelling.tensor = [](uint32_t view) { return fmt::format("t{}[i]", view); };
    for (const uint32_t view : segment.loads) params.push_back(fmt::format("Array const& t{}", view));
    auto body = scalar_statements(kernel_.epilogue, {segment.node}, spelling);
    body.push_back(line(fmt::format("out[i] = float({})", name_of(segment.node))));
    cpp::Function call{"CUTLASS_HOST_DEVICE Array operator()",
                       params,
                       {line("Array out"),
                        cpp::block("CUTLASS_PRAGMA_UNROLL\n    for (int i = 0; i < N; ++i)", std::move(body)),
                        line("return out")},
                       "const"};
    cpp::Struct primary{fmt::format("template <class T>\nstruct {}", functor_name(index)), {}};
    cpp::Struct arrays{
        fmt::format("template <int N>\nstruct {}<cutlass::Array<float, N>>", functor_name(index)),
        {cpp::Alias{"Array", make("cutlass::Array", "float", "N")}, call}};
    return {primary, arrays};
  }

  // ---- the visitor tree

  Type leaf(uint32_t index) const {
    const View& view = kernel_.epilogue.views[index];
    const std::string element(info(view.dtype).cutlass);
    switch (leaf_kind(view)) {
      case LeafKind::scalar: return make("fusion::Sm90ScalarBroadcast", element, "Stride<_0, _0, int64_t>");
      case LeafKind::row:
        return make("fusion::Sm90RowBroadcast", "0", "TileShape", element, "float",
                    "Stride<_0, _1, int64_t>");
      case LeafKind::column:
        return make("fusion::Sm90ColBroadcast", "0", "TileShape", element, "float",
                    "Stride<_1, _0, int64_t>");
      default: break;
    }
    if (source_ && index == *source_) return make("fusion::Sm90SrcFetch", element);
    return make("fusion::Sm90AuxLoad", "0", "void", element, "Stride<int64_t, _1, int64_t>", "void", "void",
                std::to_string(alignment(view.dtype)));
  }

  std::string leaf_name(uint32_t index) const { return fmt::format("Leaf{}", index); }
  static std::string node_name(size_t segment) { return fmt::format("Node{}", segment); }
  static std::string store_name(size_t segment) { return fmt::format("Store{}", segment); }
  std::string before(size_t segment) const {
    return segment == 0 ? "Accumulator" : node_name(segment - 1) + "Stored";
  }

  // Aliases from the leaves to the root: every node has a name, so that its arguments can be given by type.
  std::vector<cpp::Decl> tree() const {
    std::vector<cpp::Decl> out{cpp::Alias{"Accumulator", make("fusion::Sm90AccFetch")}};
    std::set<uint32_t> named;
    for (const Segment& segment : segments_) {
      for (const uint32_t view : segment.loads) {
        if (named.insert(view).second) out.push_back(cpp::Alias{leaf_name(view), leaf(view)});
      }
    }
    for (size_t i = 0; i < segments_.size(); ++i) {
      const Segment& segment = segments_[i];
      const std::string result = segment.last ? std::string(info(d().dtype).cutlass) : "float";
      Type visitor = make("fusion::Sm90EVT",
                          make("fusion::Sm90Compute", functor_name(i), result, "float", kRound), before(i));
      for (const uint32_t view : segment.loads) visitor.args.push_back(make(leaf_name(view)));
      out.push_back(cpp::Alias{segment.last ? "Tree" : node_name(i), std::move(visitor)});
      if (segment.last) continue;
      const View& stored = kernel_.epilogue.views[segment.store];
      out.push_back(cpp::Alias{
          store_name(i),
          make("fusion::Sm90AuxStore", "0", "void", std::string(info(stored.dtype).cutlass), kRound,
               "Stride<int64_t, _1, int64_t>", "void", "void", std::to_string(alignment(stored.dtype)))});
      out.push_back(
          cpp::Alias{node_name(i) + "Stored", make("fusion::Sm90EVT", store_name(i), node_name(i))});
    }
    return out;
  }

  // Initialisers in the order of the tree, children first, then the node's own; typed, because a node of more
  // than four takes them as a tuple.
  std::string tree_arguments() const {
    std::string node = "typename Accumulator::Arguments{}";
    for (size_t i = 0; i < segments_.size(); ++i) {
      const Segment& segment = segments_[i];
      std::string inner = node;
      for (const uint32_t view : segment.loads)
        inner += fmt::format(", typename {}::Arguments{}", leaf_name(view), leaf_argument(view));
      node = fmt::format("typename {}::Arguments{{{}, {{}}}}", segment.last ? "Tree" : node_name(i), inner);
      if (!segment.last)
        node = fmt::format("typename {}Stored::Arguments{{{}, typename {}::Arguments{}}}", node_name(i), node,
                           store_name(i), store_argument(segment.store));
    }
    return node;
  }

  std::string pointer(uint32_t index, bool read) const {
    return fmt::format("static_cast<{}{}*>(x->view[{}].data)",
                       info(kernel_.epilogue.views[index].dtype).cutlass, read ? " const" : "", index);
  }

  std::string store_argument(uint32_t index) const {
    return fmt::format("{{{}, {{x->view[{}].stride[1], _1{{}}, x->view[{}].stride[0]}}}}",
                       pointer(index, false), index, index);
  }

  std::string leaf_argument(uint32_t index) const {
    const View& view = kernel_.epilogue.views[index];
    switch (leaf_kind(view)) {
      case LeafKind::scalar:
        return fmt::format("{{{{}}, {{{}}}, {{{{_0{{}}, _0{{}}, x->view[{}].stride[0]}}}}}}",
                           pointer(index, true), index);
      case LeafKind::row:
        return fmt::format("{{{}, {{}}, {{_0{{}}, _1{{}}, x->view[{}].stride[0]}}}}", pointer(index, true),
                           index);
      case LeafKind::column:
        return fmt::format("{{{}, {{}}, {{_1{{}}, _0{{}}, x->view[{}].stride[0]}}}}", pointer(index, true),
                           index);
      default: break;
    }
    if (source_ && index == *source_) return "{}";
    return fmt::format("{{{}, {{}}, {{x->view[{}].stride[1], _1{{}}, x->view[{}].stride[0]}}}}",
                       pointer(index, true), index, index);
  }

  // ---- sources

  std::string device() const {
    cpp::File file;
    auto& decls = file.decls;
    decls.push_back(cpp::Comment{summary()});
    decls.push_back(cpp::Verbatim{"#ifdef UC_HOST_HALF\n#include \"uc_host_shim.h\"\n#endif\n"});
    for (const std::string_view path :
         {"cutlass/cutlass.h", "cute/tensor.hpp", "cutlass/gemm/dispatch_policy.hpp",
          "cutlass/gemm/collective/collective_builder.hpp",
          "cutlass/epilogue/collective/collective_builder.hpp", "cutlass/gemm/kernel/gemm_universal.hpp",
          "cutlass/gemm/kernel/tile_scheduler.hpp"}) {
      decls.push_back(cpp::Include{fmt::format("\"{}\"", path)});
    }
    decls.push_back(cpp::Include{"\"uc_math.cuh\""});
    decls.push_back(cpp::Include{"\"uc_round.cuh\""});
    for (const std::string& path : part_.includes) decls.push_back(cpp::Include{path});
    decls.push_back(cpp::Verbatim{fmt::format("\nnamespace {}_types {{\n", part_.symbol)});
    decls.push_back(cpp::Using{"namespace cute"});
    decls.push_back(cpp::Verbatim{"namespace fusion = cutlass::epilogue::fusion;\n"});
    decls.push_back(cpp::Alias{"TileShape", shape(config_.tile_m, config_.tile_n, config_.tile_k)});
    decls.push_back(cpp::Alias{"ClusterShape", shape(config_.cluster_m, config_.cluster_n, 1)});
    for (size_t i = 0; i < segments_.size(); ++i) {
      for (cpp::Decl& decl : functor(i)) decls.push_back(std::move(decl));
    }
    for (cpp::Decl& decl : tree()) decls.push_back(std::move(decl));
    decls.push_back(cpp::Alias{"Epilogue", collective_epilogue()});
    decls.push_back(cpp::Alias{"Mainloop", collective_mainloop()});
    decls.push_back(
        cpp::Alias{"Kernel", make("cutlass::gemm::kernel::GemmUniversal", "Shape<int, int, int, int>",
                                  "Mainloop", "Epilogue", "cutlass::gemm::PersistentScheduler")});
    decls.push_back(
        cpp::Verbatim{fmt::format("}}  // namespace {}_types\n\n#ifndef UC_HOST_HALF\n", part_.symbol)});
    decls.push_back(cpp::Function{
        fmt::format("extern \"C\" __global__ void __launch_bounds__({0}_types::Kernel::MaxThreadsPerBlock, "
                    "{0}_types::Kernel::MinBlocksPerMultiprocessor)\n{0}",
                    part_.symbol),
        {fmt::format("__grid_constant__ const typename {}_types::Kernel::Params params", part_.symbol)},
        {line("extern __shared__ char smem[]"), line(fmt::format("{}_types::Kernel kernel", part_.symbol)),
         line("kernel(params, smem)")}});
    decls.push_back(cpp::Verbatim{"#endif\n"});
    return print(file);
  }

  Type collective_epilogue() const {
    const View& out = d();
    const std::string schedule = pingpong() ? "cutlass::epilogue::TmaWarpSpecialized"
                                            : "cutlass::epilogue::TmaWarpSpecializedCooperative";
    const DType c = source_ ? kernel_.epilogue.views[*source_].dtype : out.dtype;
    Type builder = make("cutlass::epilogue::collective::CollectiveBuilder", "cutlass::arch::Sm90",
                        "cutlass::arch::OpClassTensorOp", "TileShape", "ClusterShape",
                        "cutlass::epilogue::collective::EpilogueTileAuto", "float", "float",
                        source_ ? std::string(info(c).cutlass) : "void", "cutlass::layout::RowMajor",
                        std::to_string(alignment(c)), std::string(info(out.dtype).cutlass),
                        "cutlass::layout::RowMajor", std::to_string(alignment(out.dtype)), schedule, "Tree");
    builder.member = "CollectiveOp";
    return builder;
  }

  Type collective_mainloop() const {
    const std::string schedule = pingpong() ? "cutlass::gemm::KernelTmaWarpSpecializedPingpong"
                                            : "cutlass::gemm::KernelTmaWarpSpecializedCooperative";
    const std::string stages = config_.stages == 0
                                   ? "cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>("
                                     "sizeof(typename Epilogue::SharedStorage))>"
                                   : fmt::format("cutlass::gemm::collective::StageCount<{}>", config_.stages);
    Type builder =
        make("cutlass::gemm::collective::CollectiveBuilder", "cutlass::arch::Sm90",
             "cutlass::arch::OpClassTensorOp", operand_type(kernel_.a.dtype), layout_name(k_major(kernel_.a)),
             std::to_string(alignment(kernel_.a.dtype)), operand_type(kernel_.b.dtype),
             layout_name(!k_major(kernel_.b)), std::to_string(alignment(kernel_.b.dtype)), "float",
             "TileShape", "ClusterShape", stages, schedule);
    builder.member = "CollectiveOp";
    return part_.mainloop.empty() ? builder : make(part_.mainloop, std::move(builder));
  }

  std::string host() const {
    cpp::File file;
    file.decls.push_back(cpp::Define{"UC_HOST_HALF"});
    file.decls.push_back(cpp::Include{fmt::format("\"{}.cu\"", kKernelSymbol)});
    file.decls.push_back(cpp::Include{"\"uc_kernel_args.h\""});
    file.decls.push_back(cpp::Include{"<string.h>"});
    file.decls.push_back(cpp::Function{fmt::format("extern \"C\" int64_t {}_scratch", part_.symbol),
                                       {"const uck_gemm*"},
                                       {line("return 0")}});
    file.decls.push_back(cpp::Function{
        fmt::format("extern \"C\" int {}_params_bytes", part_.symbol),
        {"int"},
        {line(fmt::format("return int(sizeof(typename {}_types::Kernel::Params))", part_.symbol))}});
    file.decls.push_back(cpp::Function{fmt::format("extern \"C\" void {}_shape", part_.symbol),
                                       {"int", "uck_geometry* geometry"},
                                       {line(geometry("1, 1, 1"))}});
    file.decls.push_back(cpp::Function{fmt::format("extern \"C\" int {}_prepare", part_.symbol),
                                       {"const uck_gemm* x", "int", "void* params", "uck_geometry* geometry"},
                                       prepare_body()});
    return print(file);
  }

  std::string geometry(std::string_view grid) const {
    return fmt::format(
        "*geometry = {{{{{0}}}, {{{1}::MaxThreadsPerBlock, 1, 1}}, {{{2}, {3}, 1}}, {1}::SharedStorageSize, "
        "0}}",
        grid, fmt::format("{}_types::Kernel", part_.symbol), config_.cluster_m, config_.cluster_n);
  }

  std::vector<cpp::Statement> prepare_body() const {
    const std::string a_type = operand_type(kernel_.a.dtype);
    const std::string b_type = operand_type(kernel_.b.dtype);
    const std::string d_type(info(d().dtype).cutlass);
    std::vector<cpp::Statement> body;
    const auto add = [&body](std::string text) { body.push_back(line(std::move(text))); };
    add(fmt::format("using namespace {}_types", part_.symbol));
    add("typename Kernel::Arguments a{}");
    add("a.mode = cutlass::gemm::GemmUniversalMode::kGemm");
    add("a.problem_shape = {int(x->m), int(x->n), int(x->k), int(x->l)}");
    add(fmt::format("a.mainloop.ptr_A = static_cast<{} const*>(x->a.data)", a_type));
    add(fmt::format("a.mainloop.ptr_B = static_cast<{} const*>(x->b.data)", b_type));
    add(fmt::format("get<{}>(a.mainloop.dA) = x->a.stride[{}]", k_major(kernel_.a) ? 0 : 1,
                    k_major(kernel_.a) ? 1 : 2));
    add("get<2>(a.mainloop.dA) = x->a.stride[0]");
    add(fmt::format("get<{}>(a.mainloop.dB) = x->b.stride[{}]", k_major(kernel_.b) ? 0 : 1,
                    k_major(kernel_.b) ? 1 : 2));
    add("get<2>(a.mainloop.dB) = x->b.stride[0]");
    for (const std::string& argument : part_.arguments) add(argument);
    add("a.epilogue.thread = " + tree_arguments());
    if (source_) {
      add(fmt::format("a.epilogue.ptr_C = {}", pointer(*source_, true)));
      add(fmt::format("get<0>(a.epilogue.dC) = x->view[{}].stride[1]", *source_));
      add(fmt::format("get<2>(a.epilogue.dC) = x->view[{}].stride[0]", *source_));
    }
    const uint32_t out = segments_.back().store;
    add(fmt::format("a.epilogue.ptr_D = static_cast<{}*>(x->view[{}].data)", d_type, out));
    add(fmt::format("get<0>(a.epilogue.dD) = x->view[{}].stride[1]", out));
    add(fmt::format("get<2>(a.epilogue.dD) = x->view[{}].stride[0]", out));
    add("a.hw_info.sm_count = x->sms");
    add("a.hw_info.max_active_clusters = x->max_clusters");
    add("a.scheduler.max_swizzle_size = x->swizzle");
    add("a.scheduler.raster_order = static_cast<decltype(a.scheduler.raster_order)>(x->raster)");
    // Not can_implement: it asks that extents be multiples of 16 bytes, where the hardware needs that of
    // strides only (padded rows are fine), and it does not look at strides. The rule book checks them.
    add("const auto made = Kernel::to_underlying_arguments(a, nullptr)");
    add("memcpy(params, &made, sizeof made)");
    add("const dim3 grid = Kernel::get_grid_shape(made)");
    add(geometry("grid.x, grid.y, grid.z"));
    add("return 0");
    return body;
  }

  const std::string kRound = "cutlass::FloatRoundStyle::round_to_nearest";
  const Contraction& kernel_;
  const ContractionConfig& config_;
  const GemmPart& part_;
  std::vector<Segment> segments_;
  std::optional<uint32_t> source_;
};

std::string epilogue_refuses(const Contraction& kernel) {
  const Scalar& epilogue = kernel.epilogue;
  const auto segments = cut_segments(epilogue);
  if (!segments) return "the chain uses a value from before a store other than the stored one";
  if (epilogue.views.size() > 12) return "the epilogue reads and writes more than 12 tensors";
  for (const Segment& segment : *segments) {
    const View& out = epilogue.views[segment.store];
    if (leaf_kind(out) != LeafKind::full && out.shape[1] * out.shape[2] != 1 && out.shape[2] != 1)
      return "a result is not row major";
    for (const uint32_t view : segment.loads) {
      if (leaf_kind(epilogue.views[view]) == LeafKind::other)
        return "the epilogue reads a tensor that is neither a row, a column, a number nor row major";
    }
  }
  for (const View& view : epilogue.views) {
    if (view.dtype != DType::f32 && view.dtype != DType::f16 && view.dtype != DType::bf16) {
      return fmt::format("its epilogue reads and writes f32, f16 and bf16, not {}", name(view.dtype));
    }
  }
  for (const Node& node : epilogue.nodes) {
    const bool cast_away = node.kind == Node::Kind::cast && node.type != DType::f32 &&
                           node.type != DType::f16 && node.type != DType::bf16;
    if (compute_type(node.type) != DType::f32 || cast_away) return "its epilogue computes in f32 only";
  }
  return {};
}

}  // namespace

std::string cutlass3_gemm_refuses(const Contraction& kernel) {
  const bool half = kernel.math == Math::f16 || kernel.math == Math::bf16;
  if (!half && kernel.math != Math::tf32)
    return fmt::format("it multiplies in f16, bf16 and tf32, not {}", name(kernel.math));
  if (kernel.a.dtype != kernel.b.dtype)
    return fmt::format("both operands have one type; these are {} and {}", name(kernel.a.dtype),
                       name(kernel.b.dtype));
  if (half && kernel.a.dtype != (kernel.math == Math::f16 ? DType::f16 : DType::bf16))
    return fmt::format("{} operands multiply as {}", name(kernel.a.dtype), name(kernel.a.dtype));
  if (kernel.math == Math::tf32 && kernel.a.dtype != DType::f32) return "tf32 multiplies f32 operands";
  return epilogue_refuses(kernel);
}

std::string cutlass3_epilogue_refuses(const Contraction& kernel) { return epilogue_refuses(kernel); }

EmittedKernel emit_gemm_part(const Contraction& kernel, const ContractionConfig& config,
                             const GemmPart& part) {
  return GemmEmitter(kernel, config, part).run();
}

EmittedKernel emit_cutlass3_gemm(const Contraction& kernel, const ContractionConfig& config) {
  GemmPart whole;
  whole.symbol = kKernelSymbol;
  EmittedKernel out = emit_gemm_part(kernel, config, whole);
  name_kernel(out);
  return out;
}

}  // namespace uc
