#include "emit/direct_conv.h"

#include <cstdint>
#include <fmt/format.h>
#include <numeric>

#include "emit/cpp_tree.h"
#include "emit/cutlass2_epilogue.h"
#include "emit/host_half.h"
#include "emit/kernel_hash.h"
#include "plan/conv_product.h"
#include "plan/direct_conv.h"

namespace uc {
namespace {

using cpp::line;
using cpp::make;
using cpp::Type;

// An SM: more threads keep more loads in flight than more registers do (measured on an H200, of 1 to 4).
constexpr int kBlocksOfVectors = 2;

class DirectEmitter {
 public:
  DirectEmitter(const Convolution& kernel, std::string_view arch)
      : kernel_(kernel),
        product_(conv_product(kernel)),
        form_(direct_conv(kernel)),
        arch_(arch),
        epilogue_(product_, Gemm2Family{{}, "Simt", "", "", 1, 1, 1, 1}) {}

  EmittedKernel run() {
    EmittedKernel out;
    out.arch = arch_;
    out.summary = summary();
    out.device_source = device();
    out.host_source = host();
    name_kernel(out);
    return out;
  }

 private:
  std::string summary() const {
    return fmt::format(
        "{} {}{}d direct {}{} {}", name(kernel_.x.dtype), kernel_.transposed ? "conv_transpose" : "conv",
        spatial_rank(kernel_),
        form_.tiled ? fmt::format("{} channels x {} places", form_.vector, form_.places) : "one by one",
        form_.channels_first ? ", channels first" : "", arch_);
  }
  std::string types() const { return fmt::format("{}_types", kKernelSymbol); }
  std::string views() const { return std::to_string(kernel_.epilogue.views.size()); }

  // Elements that are moved at once: all of a thread's channels, or one.
  std::string width(const View& view) const { return width(view, view.stride.size() - 1); }
  // `along`: the dimension that a thread's channels are.
  std::string width(const View& view, size_t along) const {
    int64_t steps = std::gcd(view.offset, form_.vector);
    for (size_t d = 0; d < view.stride.size(); ++d) {
      if (d != along && view.shape[d] > 1) steps = std::gcd(steps, view.stride[d]);
    }
    const bool whole =
        view.stride[along] == 1 && steps == form_.vector && form_.vector * size_bytes(view.dtype) <= 16;
    return std::to_string(whole ? form_.vector : 1);
  }
  Type tensor(uint32_t index) const {
    const View& view = kernel_.epilogue.views[index];
    return make("uc_direct::Tensor", std::to_string(index), std::string(info(view.dtype).cuda), width(view));
  }
  Type epilogue() const {
    Type loads = make("uc_direct::List");
    for (const uint32_t view : epilogue_.loads()) loads.args.push_back(tensor(view));
    if (loads.args.empty()) loads = Type("uc_direct::List<>");
    Type stores = make("uc_direct::List");
    for (const Effect& effect : kernel_.epilogue.effects) stores.args.push_back(tensor(effect.view));
    return make("uc_direct::Epilogue", "Expression", std::to_string(form_.vector), std::move(loads),
                std::move(stores));
  }

  std::string sum() const {
    return kernel_.accumulate == DType::f64   ? "double"
           : kernel_.accumulate == DType::f32 ? "float"
                                              : "int32_t";
  }
  Type kernel() const {
    const std::string element(info(kernel_.x.dtype).cuda);
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    if (!form_.tiled)
      return make("uc_direct::General", element, sum(), flag(kernel_.transposed), flag(form_.channels_first),
                  views(), "Epilogue");
    Type out = make("uc_direct::Tiled", element, sum(), std::to_string(form_.vector),
                    std::to_string(form_.places), width(kernel_.x), width(kernel_.w, 0));
    for (size_t d = 0; d < 3; ++d) out.args.emplace_back(std::to_string(direct_window(kernel_, d).filter));
    out.args.emplace_back(std::to_string(direct_window(kernel_, 1).stride));
    out.args.emplace_back(std::to_string(direct_window(kernel_, 1).dilation));
    out.args.emplace_back(flag(form_.channels_first));
    out.args.emplace_back(views());
    out.args.emplace_back("Epilogue");
    return out;
  }

  std::string device() const {
    cpp::File file;
    auto& decls = file.decls;
    decls.push_back(cpp::Comment{summary()});
    decls.push_back(cpp::Include{"\"uc_conv_direct.cuh\""});
    decls.push_back(cpp::Verbatim{fmt::format("namespace {} {{\n", types())});
    decls.push_back(epilogue_.declarations().front());
    decls.push_back(cpp::Alias{"Epilogue", epilogue()});
    decls.push_back(cpp::Alias{"Kernel", kernel()});
    decls.push_back(cpp::Verbatim{fmt::format("}}  // namespace {}\n\n#ifndef UC_HOST_HALF\n", types())});
    decls.push_back(cpp::Function{
        fmt::format("extern \"C\" __global__ void __launch_bounds__(uc_direct::kThreads, {}) {}",
                    form_.vector > 1 ? kBlocksOfVectors : 1, kKernelSymbol),
        {fmt::format("__grid_constant__ const typename {}::Kernel::Params params", types())},
        {line(
            fmt::format("{}::Kernel::run(params, blockIdx.x, gridDim.x, threadIdx.x, blockIdx.y, gridDim.y)",
                        types()))}});
    decls.push_back(cpp::Verbatim{"#endif\n"});
    return print(file);
  }

  std::string host() const {
    cpp::File file = host_file({"\"uc_conv_direct_host.h\""});
    add_host_functions(
        file, kKernelSymbol,
        {.scratch = {line("return 0")},
         .params_bytes = {line(fmt::format("return int(sizeof(typename {}::Kernel::Params))", types()))},
         .shape = {line("uc_direct::shape(geometry)")},
         .prepare = {line(fmt::format("return uc_direct::prepare<{}::Kernel, {}, {}>(x, params, geometry)",
                                      types(), kernel_.transposed, views()))}});
    return print(file);
  }

  const Convolution& kernel_;
  Contraction product_;
  DirectConv form_;
  std::string arch_;
  Gemm2Epilogue epilogue_;
};

}  // namespace

std::string direct_conv_refuses(const Convolution& kernel) {
  if (kernel.math == Math::f16x3 || kernel.math == Math::tf32x3)
    return fmt::format("it multiplies f32 data as it is, not as {}", name(kernel.math));
  int64_t image = 1;
  for (size_t d = 1; d < kernel.out.size(); ++d) image *= kernel.out[d];
  if (image > INT32_MAX) return "it counts the results of an image in 32 bits";
  return Gemm2Epilogue::refuses(conv_product(kernel));
}

EmittedKernel emit_direct_conv(const Convolution& kernel, std::string_view arch) {
  return DirectEmitter(kernel, arch).run();
}

}  // namespace uc
