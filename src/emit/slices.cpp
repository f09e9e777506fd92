#include "emit/slices.h"

#include <fmt/format.h>

#include "emit/host_half.h"
#include "emit/kernel_hash.h"

namespace uc {
namespace {

using cpp::line;
using cpp::make;

std::string types() { return fmt::format("{}_sum", kKernelSymbol); }

std::string function(int part, std::string_view type) {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(uc_slices::kThreads)\n"
      "{0}_{1}(const __grid_constant__ typename {2}::Addition::Params params) {{\n  "
      "{2}::{3}::run(params);\n}}\n",
      kKernelSymbol, part, types(), type);
}

}  // namespace

std::string SliceSum::device() const {
  cpp::File file;
  auto& decls = file.decls;
  decls.push_back(cpp::Include{"\"uc_slices.cuh\""});
  decls.push_back(cpp::Verbatim{fmt::format("\nnamespace {} {{\n", types())});
  for (cpp::Decl& decl : epilogue_.declarations()) decls.push_back(std::move(decl));
  decls.push_back(cpp::Alias{"Addition", make("uc_slices::Addition", epilogue_.accumulator(), "Expression",
                                              std::to_string(views_), "Loads", "Stores", "Sums")});
  decls.push_back(cpp::Verbatim{fmt::format("}}  // namespace {}\n\n#ifndef UC_HOST_HALF\n", types())});
  std::string kernels = function(1, "Addition");
  if (parts() > 1) kernels += function(2, "Addition::Combine");
  decls.push_back(cpp::Verbatim{kernels + "#endif\n"});
  return print(file);
}

std::string SliceSum::host(const std::string& inner) const {
  cpp::File file;
  const std::string slices =
      fmt::format("const int slices = uc_slices::cut(x->k, x->split, {}).slices", tile_);
  const std::string addition = types() + "::Addition";
  file.decls.push_back(cpp::Include{"\"uc_slices_host.h\""});
  add_host_functions(
      file, kKernelSymbol,
      {.scratch = {line(slices),
                   line(fmt::format("return uc_slices::scratch_bytes<{}>(x, slices)", addition))},
       .params_bytes = {line(fmt::format(
           "return part == 0 ? {}_params_bytes(0) : int(sizeof(typename {}::Params))", inner, addition))},
       .shape = {cpp::block("if (part == 0)", {line(fmt::format("return {}_shape(0, geometry)", inner))}),
                 line(fmt::format("uc_slices::shape(geometry, 1, {})", overlap_))},
       .prepare = {cpp::block("if (part == 0)",
                              {line("const uck_gemm product = uc_slices::product(x)"),
                               line(fmt::format("return {}_prepare(&product, 0, params, geometry)", inner))}),
                   line(slices),
                   line(fmt::format(
                       "return uc_slices::prepare<{}, {}>(x, slices, part == 2, {}, params, geometry)",
                       addition, views_, overlap_))},
       .sized = true,
       .parts = true});
  return print(file);
}

EmittedKernel SliceSum::around(EmittedKernel product, const std::string& inner) const {
  EmittedKernel out = std::move(product);
  out.device_source += "\n" + device();
  out.host_source += "\n" + host(inner);
  out.parts = 1 + parts();
  return out;
}

}  // namespace uc
