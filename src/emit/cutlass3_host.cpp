#include "emit/cutlass3_host.h"

#include <algorithm>
#include <fmt/format.h>

#include "emit/cutlass3_rows.h"
#include "emit/cutlass3_types.h"
#include "emit/host_half.h"
#include "emit/kernel_hash.h"
#include "ir/kernel_parts.h"
#include "ir/operand.h"

namespace uc::cutlass3 {
namespace {

using cpp::line;
using Config = ContractionConfig;

class HostHalf {
 public:
  HostHalf(const Contraction& kernel, const Config& config, const EpilogueTree& tree, const GemmPart& part)
      : kernel_(kernel), config_(config), tree_(tree), part_(part) {}

  std::string text() const {
    cpp::File file = host_file({"\"uc_kernel_args.h\"", "<math.h>", "<string.h>"});
    file.decls.push_back(cpp::Function{fmt::format("static typename {}::Arguments arguments", kernel_type()),
                                       {"const uck_gemm* x"},
                                       arguments()});
    add_host_functions(
        file, prefix(),
        {.scratch = {line(
             needs_scratch()
                 ? fmt::format("return int64_t({}::get_workspace_size(arguments(x)))", kernel_type())
                 : "return 0")},
         .params_bytes = {line(fmt::format("return int(sizeof(typename {}::Params))", kernel_type()))},
         .shape = {line(geometry("1, 1, 1"))},
         .prepare = prepare(),
         .sized = needs_scratch()});
    return print(file);
  }

 private:
  const std::string& prefix() const { return part_.host.empty() ? part_.symbol : part_.host; }
  std::string kernel_type() const { return fmt::format("{}_types::Kernel", part_.symbol); }
  bool needs_scratch() const { return splits_k(config_) || tree_.reduces(); }

  std::string geometry(std::string_view grid) const {
    return fmt::format(
        "*geometry = {{{{{0}}}, {{{1}::MaxThreadsPerBlock, 1, 1}}, {{{2}, {3}, 1}}, {1}::SharedStorageSize, "
        "{4}}}",
        grid, kernel_type(), config_.cluster_m, config_.cluster_n, config_.overlap ? 1 : 0);
  }

  // K blocks that the tensor core adds up before the sum moves to registers: four of f8, and whole tiles.
  int64_t promotion() const {
    const int64_t blocks = std::max<int64_t>(1, config_.tile_k / 32);
    return (4 + blocks - 1) / blocks * blocks;
  }

  std::vector<cpp::Statement> arguments() const {
    std::vector<cpp::Statement> body;
    const auto add = [&body](std::string text) { body.push_back(line(std::move(text))); };
    const auto operand = [&](char upper, char lower, const View& view) {
      add(fmt::format("a.mainloop.ptr_{} = static_cast<{} const*>(x->{}.data)", upper, element(view.dtype),
                      lower));
      add(fmt::format("get<{}>(a.mainloop.d{}) = x->{}.stride[{}]", k_major(view) ? 0 : 1, upper, lower,
                      k_major(view) ? 1 : 2));
      add(fmt::format("get<2>(a.mainloop.d{}) = x->{}.stride[0]", upper, lower));
    };
    add(fmt::format("using namespace {}_types", part_.symbol));
    add("typename Kernel::Arguments a{}");
    add("a.mode = cutlass::gemm::GemmUniversalMode::kGemm");
    add("a.problem_shape = {int(x->m), int(x->n), int(x->k), int(x->l)}");
    operand('A', 'a', kernel_.a);
    operand('B', 'b', kernel_.b);
    if (kernel_.a_scale) {
      const ScaleBlocks blocks = *scale_blocks_of(kernel_);
      factors("A", *kernel_.a_scale, kernel_.epilogue.views.size(), blocks.m, "x->m", body);
      factors("B", *kernel_.b_scale, kernel_.epilogue.views.size() + 1, blocks.n, "x->n", body);
    } else if (kernel_.math == Math::f8) {
      add(fmt::format("a.mainloop.mma_promotion_interval = {}", promotion()));
    }
    for (const std::string& argument : part_.arguments) add(argument);
    for (cpp::Statement& statement : tree_.arguments()) body.push_back(std::move(statement));
    if (has_rows(kernel_.epilogue)) {
      const RowPass pass(kernel_, config_);
      for (cpp::Statement& statement : pass.arguments()) body.push_back(std::move(statement));
    }
    add("a.hw_info.sm_count = x->sms");
    add("a.hw_info.max_active_clusters = x->max_clusters");
    if (config_.schedule != Config::Schedule::warp_specialized) {
      add("a.scheduler.max_swizzle_size = x->swizzle");
      add("a.scheduler.raster_order = static_cast<decltype(a.scheduler.raster_order)>(x->raster)");
    }
    if (splits_k(config_)) {
      const bool split = config_.scheduler == Config::Scheduler::split_k;
      if (split) add("a.scheduler.splits = x->split > 0 ? x->split : 1");
      add(fmt::format("a.scheduler.decomposition_mode = decltype(a.scheduler.decomposition_mode)::{}",
                      split ? "SplitK" : "StreamK"));
    }
    add("return a");
    return body;
  }

  // Factors of blocks lie behind the views of the epilogue: ((rows of a block, blocks), (K of one, blocks),
  // L).
  void factors(std::string_view name, const View& view, size_t at, int64_t rows, std::string_view extent,
               std::vector<cpp::Statement>& body) const {
    const bool along_k = view.stride[2] == 1;
    const int64_t k = scale_blocks_of(kernel_)->k;
    const auto stride = [&](size_t d) { return fmt::format("int(x->view[{}].stride[{}])", at, d); };
    body.push_back(
        line(fmt::format("a.mainloop.ptr_SF{} = static_cast<float const*>(x->view[{}].data)", name, at)));
    body.push_back(line(fmt::format(
        "a.mainloop.layout_SF{0} = make_layout(make_shape(make_shape(Int<{1}>{{}}, int({2} / {1})), "
        "make_shape(Int<{3}>{{}}, int(x->k / {3})), int(x->l)), make_stride(make_stride(_0{{}}, {4}), "
        "make_stride(_0{{}}, {5}), {6}))",
        name, rows, extent, k, along_k ? stride(1) : "_1{}", along_k ? "_1{}" : stride(2), stride(0))));
  }

  std::vector<cpp::Statement> prepare() const {
    std::vector<cpp::Statement> body;
    const auto add = [&body](std::string text) { body.push_back(line(std::move(text))); };
    add(fmt::format("using Kernel = {}", kernel_type()));
    add("const typename Kernel::Arguments a = arguments(x)");
    // Not can_implement: it asks that extents be multiples of 16 bytes, where the hardware needs that of
    // strides only (padded rows are fine), and it does not look at strides. The rule book checks them.
    add(fmt::format("const auto made = Kernel::to_underlying_arguments(a, {})",
                    needs_scratch() ? "x->scratch" : "nullptr"));
    if (needs_scratch()) {
      body.push_back(cpp::block(
          "if (Kernel::initialize_workspace(a, x->scratch, static_cast<cudaStream_t>(x->stream)) != "
          "cutlass::Status::kSuccess)",
          {line("return 1")}));
    }
    add("memcpy(params, &made, sizeof made)");
    add("const dim3 grid = Kernel::get_grid_shape(made)");
    add(geometry("grid.x, grid.y, grid.z"));
    add("return 0");
    return body;
  }

  const Contraction& kernel_;
  const Config& config_;
  const EpilogueTree& tree_;
  const GemmPart& part_;
};

}  // namespace

std::string host_half(const Contraction& kernel, const Config& config, const EpilogueTree& tree,
                      const GemmPart& part) {
  return HostHalf(kernel, config, tree, part).text();
}

}  // namespace uc::cutlass3
