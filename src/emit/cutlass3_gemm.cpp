#include "emit/cutlass3_gemm.h"

#include <fmt/format.h>

#include "check/slices.h"
#include "emit/cutlass3_epilogue.h"
#include "emit/cutlass3_host.h"
#include "emit/cutlass3_rows.h"
#include "emit/cutlass3_types.h"
#include "emit/kernel_hash.h"
#include "emit/slices.h"

namespace uc {
namespace {

using cpp::Alias;
using cpp::line;
using cpp::make;

std::string device_half(const Contraction& kernel, const ContractionConfig& config,
                        const cutlass3::EpilogueTree& tree, const GemmPart& part) {
  cpp::File file;
  auto& decls = file.decls;
  decls.push_back(cpp::Comment{cutlass3::summary(kernel, config)});
  decls.push_back(cpp::Verbatim{"#ifdef UC_HOST_HALF\n#include \"uc_host_shim.h\"\n#endif\n"});
  if (config.overlap) decls.push_back(cpp::Define{"CUTLASS_ENABLE_GDC_FOR_SM90"});
  for (const std::string_view path :
       {"cutlass/cutlass.h", "cute/tensor.hpp", "cutlass/gemm/dispatch_policy.hpp",
        "cutlass/gemm/collective/collective_builder.hpp",
        "cutlass/epilogue/collective/collective_builder.hpp", "cutlass/gemm/kernel/gemm_universal.hpp",
        "cutlass/gemm/kernel/tile_scheduler.hpp", "uc_epilogue.cuh", "uc_math.cuh", "uc_round.cuh"}) {
    decls.push_back(cpp::Include{fmt::format("\"{}\"", path)});
  }
  if (config.skip_zeros) decls.push_back(cpp::Include{"\"uc_skip_tiles.cuh\""});
  if (kernel.a_scale) decls.push_back(cpp::Include{"\"cutlass/detail/blockwise_scale_layout.hpp\""});
  const bool rows = has_rows(kernel.epilogue);
  if (rows) decls.push_back(cpp::Include{"\"uc_row_epilogue.cuh\""});
  for (const std::string& path : part.includes) decls.push_back(cpp::Include{path});
  decls.push_back(cpp::Verbatim{fmt::format("\nnamespace {}_types {{\n", part.symbol)});
  decls.push_back(cpp::Using{"namespace cute"});
  decls.push_back(cpp::Verbatim{"namespace fusion = cutlass::epilogue::fusion;\n"});
  decls.push_back(Alias{"TileShape", cutlass3::shape(config.tile_m, config.tile_n, config.tile_k)});
  decls.push_back(Alias{"ClusterShape", cutlass3::shape(config.cluster_m, config.cluster_n, 1)});
  for (cpp::Decl& decl : tree.declarations()) decls.push_back(std::move(decl));
  if (rows) {
    const cutlass3::RowPass pass(kernel, config);
    decls.push_back(pass.declaration());
    decls.push_back(Alias{"StoringEpilogue", tree.collective()});
    decls.push_back(Alias{"Epilogue", pass.collective("StoringEpilogue")});
  } else {
    decls.push_back(Alias{"Epilogue", tree.collective()});
  }
  if (kernel.a_scale) {
    for (cpp::Decl& decl : cutlass3::scale_layouts(kernel)) decls.push_back(std::move(decl));
  }
  cpp::Type mainloop = cutlass3::mainloop(kernel, config);
  if (!part.mainloop.empty()) mainloop = make(part.mainloop, std::move(mainloop));
  decls.push_back(Alias{"Mainloop", std::move(mainloop)});
  decls.push_back(Alias{"Kernel", make("cutlass::gemm::kernel::GemmUniversal", "Shape<int, int, int, int>",
                                       "Mainloop", "Epilogue", cutlass3::tile_scheduler(kernel, config))});
  decls.push_back(
      cpp::Verbatim{fmt::format("}}  // namespace {}_types\n\n#ifndef UC_HOST_HALF\n", part.symbol)});
  decls.push_back(cpp::Function{
      fmt::format("extern \"C\" __global__ void __launch_bounds__({0}_types::Kernel::MaxThreadsPerBlock, "
                  "{0}_types::Kernel::MinBlocksPerMultiprocessor)\n{0}",
                  part.symbol),
      {fmt::format("__grid_constant__ const typename {}_types::Kernel::Params params", part.symbol)},
      {line("extern __shared__ char smem[]"), line(fmt::format("{}_types::Kernel kernel", part.symbol)),
       line("kernel(params, smem)")}});
  decls.push_back(cpp::Verbatim{"#endif\n"});
  return print(file);
}

// Slices of K as matrices of a batch, whose sums a second function adds.
EmittedKernel emit_in_slices(const Contraction& kernel, const ContractionConfig& config) {
  GemmPart part;
  part.symbol = kKernelSymbol;
  part.host = fmt::format("{}_product", kKernelSymbol);
  part.includes = {"\"uc_slice_mainloop.cuh\"", "\"uc_slices_host.h\""};
  part.mainloop = "uc_slice_mainloop";
  part.arguments = {
      fmt::format("const uc_slices::Cut cut = uc_slices::cut(x->k, x->split, {})", config.tile_k),
      fmt::format("get<2>(a.problem_shape) = cut.tiles * {}", config.tile_k),
      "get<3>(a.problem_shape) = int(x->l) * cut.slices",
      "a.mainloop.k = int(x->k)",
      "a.mainloop.batch = int(x->l)",
      "a.mainloop.slices = cut.slices",
      "a.mainloop.tiles = cut.tiles"};
  const Contraction product = slice_product(kernel);
  EmittedKernel out = emit_gemm_part(product, slice_config(config), part);
  out.summary = cutlass3::summary(kernel, config);
  return SliceSum(kernel, config.tile_k, true).around(std::move(out), part.host);
}

// Two neighbours of a row are a word, and all rows begin with a whole one.
bool pairs_of_columns(const View& view) {
  return view.stride[2] == 1 && view.stride[1] % 2 == 0 && view.offset % 2 == 0 && view.shape[2] % 2 == 0;
}

EmittedKernel emit_in_groups(const Contraction& kernel, const ContractionConfig& config) {
  // The launch hands over where groups end as one more view (emit/program_glue.cpp).
  const std::string ends = fmt::format("x->view[{}].data", kernel.epilogue.views.size());
  GemmPart part;
  part.symbol = kKernelSymbol;
  part.includes = {"\"uc_groups.cuh\""};
  part.mainloop = "uc_group_mainloop";
  part.arguments = {"a.scheduler.ends = " + ends};
  part.pixels.arguments = cutlass3::element(kernel.ends->dtype);
  part.pixels.space = "uc_groups";
  part.pixels.beside = fmt::format(", {}, x->l, x->m", ends);
  part.pixels.rows = true;
  for (const View& view : kernel.epilogue.views) part.pixels.pairs.push_back(pairs_of_columns(view));
  return emit_gemm_part(kernel, config, part);
}

}  // namespace

EmittedKernel emit_gemm_part(const Contraction& kernel, const ContractionConfig& config,
                             const GemmPart& part) {
  const Contraction stored = without_rows(kernel);
  const cutlass3::EpilogueTree tree(stored, config, part.pixels);
  EmittedKernel out;
  out.needs_cutlass = true;
  out.device_source = device_half(kernel, config, tree, part);
  out.host_source = cutlass3::host_half(kernel, config, tree, part);
  out.summary = cutlass3::summary(kernel, config);
  return out;
}

EmittedKernel emit_cutlass3_gemm(const Contraction& kernel, const ContractionConfig& config) {
  GemmPart whole;
  whole.symbol = kKernelSymbol;
  EmittedKernel out = kernel.ends                 ? emit_in_groups(kernel, config)
                      : in_slices(kernel, config) ? emit_in_slices(kernel, config)
                                                  : emit_gemm_part(kernel, config, whole);
  name_kernel(out);
  return out;
}

}  // namespace uc
