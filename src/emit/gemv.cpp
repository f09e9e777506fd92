#include "emit/gemv.h"

#include <algorithm>
#include <fmt/format.h>

#include "check/slices.h"
#include "emit/cpp_tree.h"
#include "emit/element_epilogue.h"
#include "emit/host_half.h"
#include "emit/kernel_hash.h"
#include "emit/slices.h"
#include "plan/gemv_shape.h"

namespace uc {
namespace {

using cpp::line;
using cpp::make;

// Types that are multiplied as they are; tf32 rounds f32 first.
bool multiplies(Math math, DType type) {
  switch (math) {
    case Math::f16: return type == DType::f16;
    case Math::bf16: return type == DType::bf16;
    case Math::f32:
    case Math::tf32: return type == DType::f32;
    case Math::f64: return type == DType::f64;
    case Math::f8: return type == DType::f8e4m3 || type == DType::f8e5m2;
    case Math::i8: return type == DType::i8 || type == DType::u8;
    default: return false;
  }
}

// One line over another: results that are sums of slices, or the whole chain.
class GemvEmitter {
 public:
  GemvEmitter(const Contraction& kernel, bool in_slices, bool overlap)
      : kernel_(kernel), shape_(kernel), epilogue_(kernel), in_slices_(in_slices), overlap_(overlap) {}

  std::string host_prefix() const {
    return in_slices_ ? fmt::format("{}_product", kKernelSymbol) : std::string(kKernelSymbol);
  }

  std::string device() const {
    cpp::File file;
    auto& decls = file.decls;
    decls.push_back(cpp::Include{"\"uc_gemv.cuh\""});
    decls.push_back(cpp::Verbatim{fmt::format("\nnamespace {} {{\n", types())});
    for (cpp::Decl& decl : epilogue_.declarations()) decls.push_back(std::move(decl));
    const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
    decls.push_back(cpp::Alias{
        "Kernel", make("uc_gemv::Kernel", std::string(info(kernel_.a.dtype).cuda), epilogue_.accumulator(),
                       kernel_.math == Math::tf32 ? "uc_gemv::AsTf32" : "uc_gemv::AsTheyAre",
                       flag(shape_.long_is_a), flag(shape_.along_k), std::to_string(shape_.vector),
                       std::to_string(shape_.thread_lines), std::to_string(shape_.thread_shorts),
                       flag(shape_.short_vector), "Expression", views(), "Loads", "Stores")});
    decls.push_back(cpp::Verbatim{
        fmt::format("}}  // namespace {0}\n\n#ifndef UC_HOST_HALF\nextern \"C\" __global__ void "
                    "__launch_bounds__(uc_gemv::kThreads)\n"
                    "{1}(const __grid_constant__ typename {0}::Kernel::Params params) {{\n  "
                    "{0}::Kernel::run(params);\n}}\n"
                    "#endif\n",
                    types(), kKernelSymbol)});
    return print(file);
  }

  std::string host() const {
    cpp::File file = host_file({"\"uc_gemv_host.h\""});
    const std::string kernel = types() + "::Kernel";
    add_host_functions(
        file, host_prefix(),
        {.scratch = {line("return 0")},
         .params_bytes = {line(fmt::format("return int(sizeof(typename {}::Params))", kernel))},
         .shape = {line(fmt::format("uc_gemv::shape(geometry, 1, {})", overlap_))},
         .prepare = {line(fmt::format("return uc_gemv::prepare<{}, {}>(x, {}, {}, params, geometry)", kernel,
                                      views(), in_slices_, overlap_))}});
    return print(file);
  }

 private:
  std::string types() const { return fmt::format("{}_gemv", kKernelSymbol); }
  std::string views() const { return std::to_string(kernel_.epilogue.views.size()); }

  const Contraction& kernel_;
  GemvShape shape_;
  ElementEpilogue epilogue_;
  bool in_slices_;
  bool overlap_;
};

EmittedKernel both_halves(const GemvEmitter& emitter) {
  EmittedKernel out;
  out.device_source = emitter.device();
  out.host_source = emitter.host();
  return out;
}

std::string operand_refuses(const Contraction& kernel) {
  if (kernel.a_scale) return "it has no factors of blocks of f8";
  if (kernel.a.dtype != kernel.b.dtype)
    return fmt::format("both operands have one type; these are {} and {}", name(kernel.a.dtype),
                       name(kernel.b.dtype));
  if (!multiplies(kernel.math, kernel.a.dtype))
    return fmt::format("it does not multiply {} operands as {}", name(kernel.a.dtype), name(kernel.math));
  if (kernel.ends) return "it has no products of groups of rows";
  for (const View* view : {&kernel.a, &kernel.b}) {
    if (std::ranges::any_of(view->stride, [](int64_t stride) { return stride < 0; }))
      return "an operand runs backwards through memory";
  }
  const GemvShape shape(kernel);
  if (shape.shorts > GemvShape::kMostShort)
    return fmt::format("it has at most {} rows or columns, not {} x {}", GemvShape::kMostShort, kernel.m(),
                       kernel.n());
  if (!shape.unit) return "the long operand has unit stride in neither of its last dimensions";
  return {};
}

std::string knob_refuses(const ContractionConfig& config) {
  using Config = ContractionConfig;
  if (config.tile_m != 0 || config.cluster_m != 0 || config.stages != 0) return "it has no tiles";
  if (config.schedule != Config::Schedule::automatic) return "it has no `.schedule`";
  if (config.scheduler == Config::Scheduler::persistent || config.scheduler == Config::Scheduler::stream_k)
    return fmt::format("its schedulers are `auto` and `split_k`, not `{}`", name(config.scheduler));
  if (config.epilogue_m != 0) return "it has no `.epilogue_tile`";
  if (config.raster != Config::Raster::automatic || config.swizzle != 0)
    return "it has no tiles to put in order: no `.raster`, no `.swizzle`";
  if (config.align != 0) return "it reads as wide as sizes and strides allow: no `.align`";
  if (config.fast_accumulate) return "it adds in f32: no `.accum(fast)`";
  if (config.skip_zeros) return "it has no `.skip(zeros)`";
  return {};
}

// Since SM90 a launch can wait for the one before it by itself.
bool waits(std::string_view arch) { return arch == "sm_90a"; }

}  // namespace

std::string gemv_refuses(const Contraction& kernel, const ContractionConfig& config, std::string_view arch) {
  std::string why = knob_refuses(config);
  if (why.empty() && config.overlap && !waits(arch))
    why = "launches wait for each other before SM90: no `.pdl`";
  if (why.empty()) why = operand_refuses(kernel);
  return why.empty() ? ElementEpilogue::refuses(kernel) : why;
}

EmittedKernel emit_gemv(const Contraction& kernel, const ContractionConfig& config, std::string_view arch) {
  const bool sliced = config.split > 1 || ElementEpilogue(kernel).combines();
  const Contraction product = sliced ? slice_product(kernel) : kernel;
  const GemvEmitter emitter(product, sliced, config.overlap);
  EmittedKernel out = both_halves(emitter);
  if (sliced)
    out = SliceSum(kernel, GemvShape::kTile, waits(arch)).around(std::move(out), emitter.host_prefix());
  const GemvShape shape(kernel);
  out.arch = arch;
  out.summary =
      fmt::format("{} gemv, {} of {} {}{}", name(kernel.math), shape.long_is_a ? "A" : "B", shape.vector,
                  shape.along_k ? "along K" : "along its lines", sliced ? " in slices of K" : "");
  name_kernel(out);
  return out;
}

}  // namespace uc
