#include "emit/cutlass3_sm100.h"

#include <fmt/format.h>

#include "emit/cutlass3_types.h"
#include "emit/host_half.h"
#include "emit/kernel_hash.h"
#include "ir/operand.h"

namespace uc {
namespace {

using cpp::Alias;
using cpp::line;
using cpp::make;

const View& result(const Contraction& kernel) {
  return kernel.epilogue.views[kernel.epilogue.effects[0].view];
}

std::string type_name(const ContractionConfig& config, std::string_view before, std::string_view after) {
  return fmt::format("cutlass::{}{}Sm{}", before, sm100_two_sms(config) ? 2 : 1, after);
}

cpp::Type epilogue(const Contraction& kernel, const ContractionConfig& config) {
  const DType out = result(kernel).dtype;
  const std::string width = std::to_string(cutlass3::alignment(out));
  cpp::Type builder =
      make("cutlass::epilogue::collective::CollectiveBuilder", "cutlass::arch::Sm100",
           "cutlass::arch::OpClassTensorOp", "TileShape", "ClusterShape",
           "cutlass::epilogue::collective::EpilogueTileAuto", "float", "float", "void",
           "cutlass::layout::RowMajor", width, cutlass3::element(out), "cutlass::layout::RowMajor", width,
           type_name(config, "epilogue::TmaWarpSpecialized", ""));
  builder.member = "CollectiveOp";
  return builder;
}

cpp::Type mainloop(const Contraction& kernel, const ContractionConfig& config) {
  const auto layout = [](bool row) {
    return std::string("cutlass::layout::") + (row ? "RowMajor" : "ColumnMajor");
  };
  const std::string width = std::to_string(cutlass3::alignment(kernel.a.dtype));
  const std::string stages =
      config.stages != 0
          ? fmt::format("cutlass::gemm::collective::StageCount<{}>", config.stages)
          : "cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename "
            "Epilogue::SharedStorage))>";
  cpp::Type builder =
      make("cutlass::gemm::collective::CollectiveBuilder", "cutlass::arch::Sm100",
           "cutlass::arch::OpClassTensorOp", cutlass3::element(kernel.a.dtype), layout(k_major(kernel.a)),
           width, cutlass3::element(kernel.b.dtype), layout(!k_major(kernel.b)), width, "float", "TileShape",
           "ClusterShape", stages, type_name(config, "gemm::KernelTmaWarpSpecialized", "Sm100"));
  builder.member = "CollectiveOp";
  return builder;
}

std::string summary_of(const Contraction& kernel, const ContractionConfig& config) {
  return fmt::format("{} gemm {}x{}x{} cluster {}x{} {} stages {}, SM100: never measured", name(kernel.math),
                     config.tile_m, config.tile_n, config.tile_k, config.cluster_m, config.cluster_n,
                     sm100_two_sms(config) ? "two SMs a tile" : "one SM a tile",
                     config.stages == 0 ? "auto" : std::to_string(config.stages));
}

std::string device_half(const Contraction& kernel, const ContractionConfig& config) {
  cpp::File file;
  auto& decls = file.decls;
  decls.push_back(cpp::Comment{summary_of(kernel, config)});
  decls.push_back(cpp::Verbatim{"#ifdef UC_HOST_HALF\n#include \"uc_host_shim.h\"\n#endif\n"});
  for (const std::string_view path :
       {"cutlass/cutlass.h", "cute/tensor.hpp", "cutlass/gemm/dispatch_policy.hpp",
        "cutlass/gemm/collective/collective_builder.hpp",
        "cutlass/epilogue/collective/collective_builder.hpp", "cutlass/gemm/kernel/gemm_universal.hpp",
        "cutlass/gemm/kernel/tile_scheduler.hpp"}) {
    decls.push_back(cpp::Include{fmt::format("\"{}\"", path)});
  }
  decls.push_back(cpp::Verbatim{fmt::format("\nnamespace {}_types {{\n", kKernelSymbol)});
  decls.push_back(cpp::Using{"namespace cute"});
  decls.push_back(Alias{"TileShape", cutlass3::shape(config.tile_m, config.tile_n, config.tile_k)});
  decls.push_back(Alias{"ClusterShape", cutlass3::shape(config.cluster_m, config.cluster_n, 1)});
  decls.push_back(Alias{"Epilogue", epilogue(kernel, config)});
  decls.push_back(Alias{"Mainloop", mainloop(kernel, config)});
  decls.push_back(Alias{"Kernel", make("cutlass::gemm::kernel::GemmUniversal", "Shape<int, int, int, int>",
                                       "Mainloop", "Epilogue", "void")});
  decls.push_back(
      cpp::Verbatim{fmt::format("}}  // namespace {}_types\n\n#ifndef UC_HOST_HALF\n", kKernelSymbol)});
  decls.push_back(cpp::Function{
      fmt::format("extern \"C\" __global__ void __launch_bounds__({0}_types::Kernel::MaxThreadsPerBlock, "
                  "{0}_types::Kernel::MinBlocksPerMultiprocessor)\n{0}",
                  kKernelSymbol),
      {fmt::format("__grid_constant__ const typename {}_types::Kernel::Params params", kKernelSymbol)},
      {line("extern __shared__ char smem[]"), line(fmt::format("{}_types::Kernel kernel", kKernelSymbol)),
       line("kernel(params, smem)")}});
  decls.push_back(cpp::Verbatim{"#endif\n"});
  return print(file);
}

std::vector<cpp::Statement> arguments(const Contraction& kernel) {
  std::vector<cpp::Statement> body;
  const auto add = [&body](std::string text) { body.push_back(line(std::move(text))); };
  const auto operand = [&](char upper, char lower, const View& view) {
    add(fmt::format("a.mainloop.ptr_{} = static_cast<{} const*>(x->{}.data)", upper,
                    cutlass3::element(view.dtype), lower));
    add(fmt::format("get<{}>(a.mainloop.d{}) = x->{}.stride[{}]", k_major(view) ? 0 : 1, upper, lower,
                    k_major(view) ? 1 : 2));
    add(fmt::format("get<2>(a.mainloop.d{}) = x->{}.stride[0]", upper, lower));
  };
  const uint32_t out = kernel.epilogue.effects[0].view;
  add(fmt::format("using namespace {}_types", kKernelSymbol));
  add("typename Kernel::Arguments a{}");
  add("a.mode = cutlass::gemm::GemmUniversalMode::kGemm");
  add("a.problem_shape = {int(x->m), int(x->n), int(x->k), int(x->l)}");
  operand('A', 'a', kernel.a);
  operand('B', 'b', kernel.b);
  add("a.epilogue.thread.alpha = 1.0f");
  add("a.epilogue.thread.beta = 0.0f");
  add(fmt::format("a.epilogue.ptr_D = static_cast<{}*>(x->view[{}].data)",
                  cutlass3::element(result(kernel).dtype), out));
  add(fmt::format("get<0>(a.epilogue.dD) = x->view[{}].stride[1]", out));
  add(fmt::format("get<2>(a.epilogue.dD) = x->view[{}].stride[0]", out));
  add("a.hw_info.sm_count = x->sms");
  add("a.hw_info.max_active_clusters = x->max_clusters");
  add("a.scheduler.max_swizzle_size = x->swizzle");
  add("a.scheduler.raster_order = static_cast<decltype(a.scheduler.raster_order)>(x->raster)");
  add("return a");
  return body;
}

std::string host_half(const Contraction& kernel, const ContractionConfig& config) {
  const std::string type = fmt::format("{}_types::Kernel", kKernelSymbol);
  const auto geometry = [&](std::string_view grid) {
    return line(
        fmt::format("*geometry = {{{{{0}}}, {{{1}::MaxThreadsPerBlock, 1, 1}}, {{{2}, {3}, 1}}, "
                    "{1}::SharedStorageSize, 0}}",
                    grid, type, config.cluster_m, config.cluster_n));
  };
  cpp::File file = host_file({"\"uc_kernel_args.h\"", "<string.h>"});
  file.decls.push_back(cpp::Function{fmt::format("static typename {}::Arguments arguments", type),
                                     {"const uck_gemm* x"},
                                     arguments(kernel)});
  add_host_functions(file, kKernelSymbol,
                     {.scratch = {line("return 0")},
                      .params_bytes = {line(fmt::format("return int(sizeof(typename {}::Params))", type))},
                      .shape = {geometry("1, 1, 1")},
                      .prepare = {line(fmt::format("using Kernel = {}", type)),
                                  line("const typename Kernel::Arguments a = arguments(x)"),
                                  line("const auto made = Kernel::to_underlying_arguments(a, nullptr)"),
                                  line("memcpy(params, &made, sizeof made)"),
                                  line("const dim3 grid = Kernel::get_grid_shape(made)"),
                                  geometry("grid.x, grid.y, grid.z"), line("return 0")}});
  return print(file);
}

}  // namespace

bool sm100_two_sms(const ContractionConfig& config) { return config.tile_m == 256; }

std::string sm100_gemm_refuses(const Contraction& kernel) {
  if (kernel.a_scale) return "it has no factors of blocks of f8";
  if (kernel.a.dtype != kernel.b.dtype || (kernel.a.dtype != DType::f16 && kernel.a.dtype != DType::bf16) ||
      (kernel.math != Math::f16 && kernel.math != Math::bf16))
    return "on SM100 it multiplies f16 by f16 and bf16 by bf16";
  const Scalar& epilogue = kernel.epilogue;
  if (epilogue.effects.size() != 1 || epilogue.effects[0].combine != Combine::none)
    return "on SM100 it writes one result and combines nothing";
  const View& out = result(kernel);
  const bool type = out.dtype == DType::f32 || out.dtype == DType::f16 || out.dtype == DType::bf16;
  const Node* node = &epilogue.nodes[epilogue.effects[0].node.index()];
  if (node->kind == Node::Kind::cast && node->type == out.dtype)
    node = &epilogue.nodes[node->args[0].index()];
  if (!type || node->kind != Node::Kind::running)
    return "on SM100 it rounds the product to f32, f16 or bf16 and computes nothing after it";
  return out.stride[2] == 1 ? "" : "on SM100 rows of its result are contiguous";
}

EmittedKernel emit_sm100_gemm(const Contraction& kernel, const ContractionConfig& config) {
  EmittedKernel out;
  out.needs_cutlass = true;
  out.arch = "sm_100a";
  out.device_source = device_half(kernel, config);
  out.host_source = host_half(kernel, config);
  out.summary = summary_of(kernel, config);
  name_kernel(out);
  return out;
}

}  // namespace uc
