#include "emit/cutlass2_gemm.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "emit/cpp_tree.h"
#include "emit/cutlass2_epilogue.h"
#include "emit/host_half.h"
#include "emit/kernel_hash.h"
#include "ir/operand.h"
#include "plan/gemm2_choices.h"

namespace uc {
namespace {

using cpp::line;
using cpp::make;
using cpp::Type;

std::string layout_name(bool row) {
  return row ? "cutlass::layout::RowMajor" : "cutlass::layout::ColumnMajor";
}

Type shape(int64_t m, int64_t n, int64_t k) {
  return make("cutlass::gemm::GemmShape", std::to_string(m), std::to_string(n), std::to_string(k));
}

class Gemm2Emitter {
 public:
  Gemm2Emitter(const Contraction& kernel, const ContractionConfig& config, std::string_view backend,
               std::string_view arch, const std::optional<Conv2Form>& conv)
      : kernel_(kernel),
        config_(config),
        arch_(arch),
        family_(*gemm2_family(kernel, backend, arch)),
        tile_(gemm2_any_tile(family_, kernel, config)),
        conv_(conv),
        epilogue_(kernel, family_, where()) {}

  EmittedKernel run() {
    EmittedKernel out;
    out.needs_cutlass = true;
    out.arch = arch_;
    out.parts = in_parts() ? 2 : 1;
    out.device_source = device();
    out.host_source = host();
    out.summary = summary();
    name_kernel(out);
    return out;
  }

 private:
  int64_t stages() const {
    if (config_.stages != 0) return config_.stages;
    return gemm2_asynchronous(kernel_, config_) ? tile_.stages : 2;
  }
  bool in_parts() const { return config_.split > 1; }
  bool transposed() const { return gemm2_transposed(kernel_); }
  const View& a() const { return transposed() ? kernel_.b : kernel_.a; }
  const View& b() const { return transposed() ? kernel_.a : kernel_.b; }

  std::string summary() const {
    const std::string what =
        conv_ ? fmt::format("{}{}d", conv_->transposed ? "conv_transpose" : "conv", conv_->rank) : "gemm";
    return fmt::format("{} {} {}x{}x{} {} {} stages {}{}", name(kernel_.math), what, config_.tile_m,
                       config_.tile_n, config_.tile_k, family_.tensor() ? "cutlass2" : "simt", arch_,
                       config_.stages, in_parts() ? " in parts of K" : "");
  }

  // How rows and columns of the result lie in its tensors.
  std::string where() const {
    if (!conv_ || conv_->in_line) return {};
    return fmt::format("uc2::Pixelwise<{}, {}, {}>", conv_->rank, conv_->transposed, transposed());
  }
  std::string_view header(bool host) const {
    if (conv_) return host ? "\"uc_conv2_host.h\"" : "\"uc_conv2.cuh\"";
    return host ? "\"uc_gemm2_host.h\"" : "\"uc_gemm2.cuh\"";
  }
  Type kernel() const {
    if (!conv_) return make("uc2::Gemm", "Base", "Visitor");
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    return make("uc2::Conv", "Base", "Visitor", std::to_string(conv_->rank), flag(conv_->transposed),
                flag(transposed()), flag(in_parts()));
  }

  Type operand(const View& view) const { return std::string(info(view.dtype).cutlass); }
  std::string aligned(const View& view) const {
    return std::to_string(family_.tensor() ? gemm2_alignment(view, config_.align) : 1);
  }

  // DefaultGemm: its main loop, and the iterators of its epilogue.
  Type base() const {
    Type gemm = make(
        "cutlass::gemm::kernel::DefaultGemm", operand(a()), layout_name(k_major(a())), aligned(a()),
        operand(b()), layout_name(!k_major(b())), aligned(b()), epilogue_.exchanged(in_parts()),
        "cutlass::layout::RowMajor", accumulator(), fmt::format("cutlass::arch::OpClass{}", family_.unit),
        fmt::format("cutlass::arch::{}", family_.arch), shape(tile_.m, tile_.n, tile_.k),
        shape(tile_.warp_m, tile_.warp_n, tile_.k),
        shape(family_.instruction_m, family_.instruction_n, family_.instruction_k),
        epilogue_.output(in_parts()), "cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>",
        std::to_string(stages()), "false", fmt::format("cutlass::arch::{}", family_.operation));
    gemm.member = "GemmKernel";
    return gemm;
  }
  std::string accumulator() const { return std::string(info(kernel_.accumulate).cutlass); }

  std::string types() const { return fmt::format("{}_types", kKernelSymbol); }

  std::string device() const {
    cpp::File file;
    auto& decls = file.decls;
    decls.push_back(cpp::Comment{summary()});
    decls.push_back(cpp::Verbatim{"#ifdef UC_HOST_HALF\n#include \"uc_host_shim.h\"\n#endif\n"});
    decls.push_back(cpp::Include{std::string(header(false))});
    decls.push_back(cpp::Verbatim{fmt::format("namespace {} {{\n", types())});
    for (cpp::Decl& decl : epilogue_.declarations()) decls.push_back(std::move(decl));
    decls.push_back(cpp::Alias{"Base", base()});
    for (cpp::Decl& decl : epilogue_.visitor(in_parts())) decls.push_back(std::move(decl));
    decls.push_back(cpp::Alias{"Kernel", kernel()});
    decls.push_back(cpp::Verbatim{fmt::format("}}  // namespace {}\n\n#ifndef UC_HOST_HALF\n", types())});
    decls.push_back(cpp::Function{
        fmt::format("extern \"C\" __global__ void __launch_bounds__({}::Kernel::kThreads) {}", types(),
                    kKernelSymbol),
        {fmt::format("__grid_constant__ const typename {}::Kernel::Params params", types())},
        {line("extern __shared__ char smem[]"),
         line(fmt::format(
             "{0}::Kernel::run(params, *reinterpret_cast<typename {0}::Kernel::SharedStorage*>(smem))",
             types()))}});
    if (in_parts()) {
      decls.push_back(cpp::Function{
          fmt::format("extern \"C\" __global__ void __launch_bounds__({}::Reduction::kThreads) {}_1", types(),
                      kKernelSymbol),
          {fmt::format("__grid_constant__ const typename {}::Reduction::Params params", types())},
          {line(fmt::format("{}::Reduction::run(params)", types()))}});
    }
    decls.push_back(cpp::Verbatim{"#endif\n"});
    return print(file);
  }

  // What a function of the host half does: for the product, and for the sum of its parts.
  std::vector<cpp::Statement> host_body(std::string product, std::string sum) const {
    std::vector<cpp::Statement> body{line(fmt::format("using namespace {}", types()))};
    if (in_parts()) body.push_back(cpp::block("if (part == 1)", {line(std::move(sum))}));
    body.push_back(line(std::move(product)));
    return body;
  }

  std::string scratch() const {
    if (!conv_) return fmt::format("uc2::scratch_bytes<{}>", accumulator());
    return fmt::format("uc2::conv_scratch_bytes<{}, {}, {}>", accumulator(), conv_->rank, conv_->transposed);
  }

  std::string host() const {
    const std::string flag = transposed() ? "true" : "false";
    cpp::File file = host_file({header(true)});
    add_host_functions(
        file, kKernelSymbol,
        {.scratch = {line(in_parts() ? fmt::format("return {}(x)", scratch()) : "return 0")},
         .params_bytes = host_body("return int(sizeof(typename Kernel::Params))",
                                   "return int(sizeof(typename Reduction::Params))"),
         .shape = host_body("uc2::gemm_shape<Kernel>(geometry)",
                            "return uc2::reduction_shape<Reduction>(geometry)"),
         .prepare = host_body(
             conv_ ? "return uc2::prepare_conv<Kernel>(x, params, geometry)"
                   : fmt::format("return uc2::prepare_gemm<Kernel, {}, {}>(x, params, geometry)", flag,
                                 in_parts()),
             conv_ ? "return uc2::prepare_conv_reduction<Kernel, Reduction>(x, params, geometry)"
                   : fmt::format("return uc2::prepare_reduction<Reduction, {}>(x, params, geometry)", flag)),
         .sized = true,
         .parts = true});
    return print(file);
  }

  const Contraction& kernel_;
  const ContractionConfig& config_;
  std::string arch_;
  Gemm2Family family_;
  Gemm2Tile tile_;
  std::optional<Conv2Form> conv_;
  Gemm2Epilogue epilogue_;
};

bool unit_stride(const View& view) { return k_major(view) || view.shape[1] == 1 || view.stride[1] == 1; }

// Operands of the type that the multiplication takes.
std::optional<DType> operand_type(Math math, DType given) {
  switch (math) {
    case Math::f16: return DType::f16;
    case Math::bf16: return DType::bf16;
    case Math::f32:
    case Math::tf32:
    case Math::tf32x3: return DType::f32;
    case Math::f64: return DType::f64;
    case Math::i8: return given == DType::u8 ? DType::u8 : DType::i8;
    case Math::f8: return given == DType::f8e5m2 ? DType::f8e5m2 : DType::f8e4m3;
    default: return std::nullopt;
  }
}

}  // namespace

std::string cutlass2_gemm_refuses(const Contraction& kernel, std::string_view backend,
                                  std::string_view arch) {
  if (kernel.a_scale) return "it has no factors of blocks of f8";
  if (!gemm2_family(kernel, backend, arch)) {
    return backend == "simt" ? fmt::format("it multiplies in f32 and f64, not {}", name(kernel.math))
                             : fmt::format(
                                   "it multiplies in f16, bf16, tf32, tf32x3, i8, since sm_89 f8 and, "
                                   "on sm_80 and sm_90a, f64, not {}",
                                   name(kernel.math));
  }
  const auto type = operand_type(kernel.math, kernel.a.dtype);
  for (const View* view : {&kernel.a, &kernel.b}) {
    if (view->dtype != type)
      return fmt::format("multiplying in {} takes {} operands, not {}", name(kernel.math), name(*type),
                         name(view->dtype));
    if (std::ranges::any_of(view->stride, [](int64_t stride) { return stride < 0; }))
      return "an operand runs backwards through memory";
    if (!unit_stride(*view)) return "an operand has unit stride in neither of its last dimensions";
    if ((kernel.math == Math::i8 || kernel.math == Math::f8) && !k_major(*view))
      return fmt::format("{} operands have K contiguous", name(kernel.math));
  }
  return Gemm2Epilogue::refuses(kernel);
}

EmittedKernel emit_cutlass2_gemm(const Contraction& kernel, const ContractionConfig& config,
                                 std::string_view backend, std::string_view arch,
                                 const std::optional<Conv2Form>& conv) {
  return Gemm2Emitter(kernel, config, backend, arch, conv).run();
}

}  // namespace uc
