#include "emit/f16x3_gemm.h"

#include <algorithm>
#include <fmt/format.h>

#include "check/f16x3.h"
#include "emit/cpp_tree.h"
#include "emit/cutlass3_gemm.h"
#include "emit/host_half.h"
#include "emit/kernel_hash.h"
#include "ir/operand.h"

namespace uc {
namespace {

using cpp::line;

// uc_kernel_args.h: UC_MAX_VIEWS, less the two factors.
constexpr size_t kMostViews = 10;

bool along_lines(const View& view) { return view.shape[1] == 1 || view.stride[1] == 1; }

// What the emitted functions of uc_split.cuh are told.
struct Split {
  bool a_along_k, b_along_k;
  int64_t tile_k;
  size_t first_view;
  bool looks() const { return !a_along_k || !b_along_k; }
  int parts() const { return looks() ? 3 : 2; }
  std::string types() const { return fmt::format("{}, {}", a_along_k, b_along_k); }
  std::string values() const { return fmt::format("*x, {}, {}, {}", a_along_k, b_along_k, tile_k); }
};

std::string part_name(int part) {
  return part == 0 ? std::string(kKernelSymbol) : fmt::format("{}_{}", kKernelSymbol, part);
}

std::string split_kernel(const Split& split, int part, std::string_view function) {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(UC_SPLIT_THREADS, 2)\n"
      "{}(const __grid_constant__ uc_split_params params) {{\n  {}<{}>(params);\n}}\n",
      part_name(part), function, split.types());
}

std::string device_source(const Split& split, const std::string& gemm) {
  std::string out = gemm + "\n#ifndef UC_HOST_HALF\n";
  if (split.looks()) out += split_kernel(split, 0, "uc_split_first");
  return out + split_kernel(split, split.looks() ? 1 : 0, "uc_split_both") + "#endif\n";
}

// The functions of the whole launch, over those of the multiplication.
std::string host_source(const Split& split, const std::string& gemm) {
  const int last = split.parts() - 1;
  const std::string inner = part_name(last);
  const std::string before = fmt::format("if (part < {})", last);
  const std::string halves =
      fmt::format("const uck_gemm y = uc_split_gemm({}, {})", split.values(), split.first_view);
  cpp::File file;
  add_host_functions(
      file, kKernelSymbol,
      {.scratch = {line(halves), line(fmt::format("return uc_split_plans({}).bytes + {}_scratch(&y)",
                                                  split.values(), inner))},
       .packed = {line(fmt::format("return uc_split_plans({}).packed", split.values()))},
       .params_bytes = {line(
           fmt::format("return part < {} ? int(sizeof(uc_split_params)) : {}_params_bytes(0)", last, inner))},
       .shape = {line("*geometry = {{1, 1, 1}, {UC_SPLIT_THREADS, 1, 1}, {1, 1, 1}, 0, 0}"),
                 line(fmt::format("if (part == {}) {}_shape(0, geometry)", last, inner))},
       .prepare = {cpp::block(before,
                              {line(fmt::format("return uc_split_prepare({}, {}, params, geometry)",
                                                split.values(), split.looks() ? "part == 0" : "false"))}),
                   cpp::block("if (x->loading)", {line("*geometry = {}"), line("return 0")}), line(halves),
                   line(fmt::format("return {}_prepare(&y, 0, params, geometry)", inner))},
       .sized = true,
       .parts = true});
  return gemm + "\n" + print(file);
}

}  // namespace

std::string f16x3_gemm_refuses(const Contraction& kernel) {
  if (kernel.math != Math::f16x3) return fmt::format("it multiplies in f16x3, not {}", name(kernel.math));
  if (!splits(kernel))
    return fmt::format("f16x3 multiplies f32 operands; these are {} and {}", name(kernel.a.dtype),
                       name(kernel.b.dtype));
  for (const View* view : {&kernel.a, &kernel.b}) {
    if (!k_major(*view) && !along_lines(*view))
      return "an operand has unit stride along neither of its last two dimensions";
  }
  if (kernel.epilogue.views.size() > kMostViews)
    return fmt::format("the epilogue reads and writes more than {} tensors", kMostViews);
  return cutlass3_epilogue_refuses(kernel);
}

EmittedKernel emit_f16x3_gemm(const Contraction& kernel, const ContractionConfig& config) {
  const Split split{k_major(kernel.a), k_major(kernel.b), config.tile_k, kernel.epilogue.views.size()};
  const Contraction product = split_product(kernel, config.tile_k);
  GemmPart part;
  part.symbol = part_name(split.parts() - 1);
  part.includes = {"\"uc_split.cuh\"", "\"uc_split_mainloop.cuh\""};
  part.mainloop = "uc_split_mainloop";
  // Whole tiles are promoted at once.
  const int64_t of_tile = std::max<int64_t>(1, config.tile_k / 16);
  const int64_t interval = (kPromotedInstructions + of_tile - 1) / of_tile * of_tile;
  part.arguments = {fmt::format("a.mainloop.mma_promotion_interval = {}", interval)};
  EmittedKernel out = emit_gemm_part(product, config, part);
  out.device_source = device_source(split, out.device_source);
  out.host_source = host_source(split, out.host_source);
  out.parts = split.parts();
  out.packs = true;
  name_kernel(out);
  return out;
}

}  // namespace uc
