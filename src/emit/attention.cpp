#include "emit/attention.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "catalog/scalar_fn.h"
#include "emit/attention_instructions.h"
#include "emit/cpp_tree.h"
#include "emit/host_half.h"
#include "emit/kernel_hash.h"
#include "emit/scalar_cpp.h"
#include "plan/attention_tiles.h"

namespace uc {
namespace {

using cpp::line;

constexpr size_t kMostViews = 12;  // UC_MAX_VIEWS of uc_kernel_args.h

std::string_view products(Math math) {
  switch (math) {
    case Math::f16: return "F16";
    case Math::bf16: return "BF16";
    case Math::tf32: return "TF32";
    case Math::tf32x3: return "TF32x3";
    default: return {};
  }
}

bool multiplies(Math math, DType type) {
  switch (math) {
    case Math::f16: return type == DType::f16;
    case Math::bf16: return type == DType::bf16;
    case Math::tf32:
    case Math::tf32x3: return type == DType::f32;
    default: return false;
  }
}

// Bit d: elements differ along dimension d.
int along(const View& view) {
  int out = 0;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] != 1 && view.stride[d] != 0) out |= 1 << d;
  }
  return out;
}

// Two neighbours are written as one word.
bool in_pairs(const View& view, int64_t slices) {
  if (view.stride[3] != 1 || view.shape[3] / slices % 2 != 0 || view.offset % 2 != 0) return false;
  for (size_t d = 0; d < 3; ++d) {
    if (view.shape[d] != 1 && view.stride[d] % 2 != 0) return false;
  }
  return true;
}

std::string scalar_refuses(const Scalar& scalar) {
  for (const Node& node : scalar.nodes) {
    if (node.kind != Node::Kind::call) continue;
    if (compute_type(node.type) == DType::f64) return "its expressions are computed in f32, not f64";
    if (compute_type(node.type) == DType::i64 && node.fn->i64 == nullptr)
      return fmt::format("its expressions have no `{}` of integers", node.fn->name);
  }
  for (const Effect& effect : scalar.effects) {
    if (effect.combine != Combine::none) return "its epilogue combines no rows or columns";
  }
  return {};
}

class AttentionEmitter {
 public:
  AttentionEmitter(const Attention& kernel, const AttentionTiles& tiles) : kernel_(kernel), tiles_(tiles) {}

  std::string device() const {
    cpp::File file;
    auto& decls = file.decls;
    decls.push_back(cpp::Include{tiles_.groups ? "\"uc_attention_groups.cuh\"" : "\"uc_attention.cuh\""});
    decls.push_back(cpp::Verbatim{fmt::format("\nnamespace {} {{\n", types())});
    if (tiles_.groups) decls.push_back(cpp::Verbatim{group_instructions(kernel_, tiles_)});
    decls.push_back(traits());
    decls.push_back(cpp::Verbatim{fmt::format(
        "using Kernel = uc_attention::{3}<Traits>;\n}}  // namespace {0}\n\n#ifndef UC_HOST_HALF\n"
        "extern \"C\" __global__ void __launch_bounds__({2})\n"
        "{1}(const __grid_constant__ typename {0}::Kernel::Parameters params) {{\n  "
        "{0}::Kernel::run(params);\n}}\n"
        "#endif\n",
        types(), kKernelSymbol, tiles_.threads(), tiles_.groups ? "GroupsKernel" : "Kernel")});
    return print(file);
  }

  std::string host() const {
    cpp::File file = host_file({"\"uc_attention_host.h\""});
    const std::string kernel = types() + "::Kernel";
    add_host_functions(
        file, kKernelSymbol,
        {.scratch = {line("return 0")},
         .params_bytes = {line(fmt::format("return int(sizeof(typename {}::Parameters))", kernel))},
         .shape = {line(fmt::format("uc_attention::shape<{}>(geometry, 1)", kernel))},
         .prepare = {line(fmt::format("return uc_attention::prepare<{}, {}, {}, {}>(x, params, geometry)",
                                      kernel, tiles_.rows, tiles_.slices, views()))}});
    return print(file);
  }

 private:
  std::string types() const { return fmt::format("{}_attention", kKernelSymbol); }
  size_t views() const { return kernel_.score.views.size() + kernel_.epilogue.views.size(); }

  bool plain() const {
    return kernel_.scale > 0 && kernel_.score.nodes[kernel_.weight.index()].kind == Node::Kind::running;
  }

  // The element's number among `extents`, in that order; names say where it is along each.
  static std::string coordinate(const Node& node, const std::array<int64_t, 4>& extents,
                                const std::array<std::string_view, 4>& names) {
    int64_t inner = 1;
    std::string number;
    for (size_t d = extents.size(); d-- > 0; inner *= extents[d]) {
      if (node.divisor == inner && node.extent == extents[d]) return fmt::format("at.{}", names[d]);
      number += fmt::format("{}at.{} * int64_t({})", number.empty() ? "" : " + ", names[d], inner);
    }
    return fmt::format("uc_divide({}, int64_t({})) % int64_t({})", number, node.divisor, node.extent);
  }

  ScalarSpelling spelling(const Scalar& scalar, size_t first) const {
    ScalarSpelling out;
    out.running = "acc";
    out.tensor = [&scalar, first](uint32_t view) {
      const View& of = scalar.views[view];
      return fmt::format("uc_load(*t[{}].at<{} const, {}>(at))", first + view, info(of.dtype).cuda,
                         along(of));
    };
    return out;
  }

  // A function of one score.
  cpp::Function of_score(std::string_view signature, NodeId node, std::string_view result) const {
    ScalarSpelling how = spelling(kernel_.score, 0);
    how.coordinate = [this](const Node& each) {
      return coordinate(each, {kernel_.batch(), kernel_.heads(), kernel_.queries(), kernel_.keys()},
                        {"batch", "head", "row", "column"});
    };
    std::vector<cpp::Statement> body = scalar_statements(kernel_.score, {node}, how);
    body.push_back(line(fmt::format(fmt::runtime(result), name_of(node))));
    return {std::string(signature),
            {"uc_attention::View const* t", "uc_attention::Place const& at", "float acc"},
            body};
  }

  std::vector<std::string> held(std::string_view format) const {
    std::vector<std::string> out;
    for (const Effect& effect : kernel_.epilogue.effects)
      out.push_back(fmt::format(fmt::runtime(format), info(kernel_.epilogue.views[effect.view].dtype).cuda,
                                effect.view));
    return out;
  }

  // What is stored at one element.
  cpp::Function element() const {
    ScalarSpelling how = spelling(kernel_.epilogue, kernel_.score.views.size());
    how.coordinate = [this](const Node& each) {
      if (kernel_.bshd)
        return coordinate(each, {kernel_.batch(), kernel_.queries(), kernel_.heads(), kernel_.value_dim()},
                          {"batch", "row", "head", "column"});
      return coordinate(each, {kernel_.batch(), kernel_.heads(), kernel_.queries(), kernel_.value_dim()},
                        {"batch", "head", "row", "column"});
    };
    std::vector<cpp::Statement> body =
        scalar_statements(kernel_.epilogue, stored_nodes(kernel_.epilogue), how);
    for (const Effect& effect : kernel_.epilogue.effects)
      body.push_back(
          line(fmt::format("r{} = uc_store_as<{}>::of({})", effect.view,
                           info(kernel_.epilogue.views[effect.view].dtype).cuda, name_of(effect.node))));
    std::vector<std::string> params{"uc_attention::View const* t", "uc_attention::Place const& at",
                                    "float acc"};
    for (std::string& each : held("{}& r{}")) params.push_back(std::move(each));
    return {"static UC_FN void element", std::move(params), std::move(body)};
  }

  // Two neighbours; the second one may not be there.
  cpp::Function store() const {
    std::vector<cpp::Statement> body;
    std::string first;
    std::string second;
    for (const Effect& effect : kernel_.epilogue.effects) {
      body.push_back(line(fmt::format("uc_pack<{}, 2> r{}",
                                      info(kernel_.epilogue.views[effect.view].dtype).cuda, effect.view)));
      first += fmt::format(", r{}.at[0]", effect.view);
      second += fmt::format(", r{}.at[1]", effect.view);
    }
    body.push_back(line("uc_attention::Place next = at"));
    body.push_back(line("++next.column"));
    body.push_back(line(fmt::format("element(t, at, a{})", first)));
    body.push_back(line(fmt::format("if (both) element(t, next, b{})", second)));
    for (const Effect& effect : kernel_.epilogue.effects) {
      const View& view = kernel_.epilogue.views[effect.view];
      const std::string_view type = info(view.dtype).cuda;
      const size_t index = kernel_.score.views.size() + effect.view;
      if (in_pairs(view, tiles_.slices)) {
        body.push_back(line(fmt::format("*reinterpret_cast<uc_pack<{0}, 2>*>(t[{1}].at<{0}, {2}>(at)) = r{3}",
                                        type, index, along(view), effect.view)));
        continue;
      }
      body.push_back(
          line(fmt::format("*t[{}].at<{}, {}>(at) = r{}.at[0]", index, type, along(view), effect.view)));
      body.push_back(line(fmt::format("if (both) *t[{}].at<{}, {}>(next) = r{}.at[1]", index, type,
                                      along(view), effect.view)));
    }
    return {
        "static UC_FN void store",
        {"uc_attention::View const* t", "uc_attention::Place const& at", "float a", "float b", "bool both"},
        std::move(body)};
  }

  cpp::Struct traits() const {
    const auto number = [](std::string_view name, int64_t value) {
      return cpp::Member(line(fmt::format("static constexpr int {} = {}", name, value)));
    };
    const auto flag = [](std::string_view name, bool value) {
      return cpp::Member(line(fmt::format("static constexpr bool {} = {}", name, value)));
    };
    std::vector<cpp::Member> out{
        line(fmt::format("using Mma = uc_attention::{}", products(kernel_.math))),
        number("kHeadDim", kernel_.head_dim()),
        number("kValueDim", kernel_.value_dim() / tiles_.slices),
        number("kSlices", tiles_.slices),
        number("kRows", tiles_.rows),
        number("kKeys", tiles_.keys),
        number("kStages", tiles_.stages),
        number("kRowTiles", tiles_.row_tiles),
        number("kQBytes", tiles_.q_bytes),
        number("kKBytes", tiles_.k_bytes),
        number("kVBytes", tiles_.v_bytes),
        number("kViews", static_cast<int64_t>(views())),
        flag("kCausal", kernel_.causal),
        flag("kSoftmax", kernel_.softmax),
        flag("kPlain", plain()),
        flag("kMasked", static_cast<bool>(kernel_.seen)),
        line(fmt::format("static constexpr float kScale = {}", cpp::float_literal(kernel_.scale)))};
    if (tiles_.groups) out.push_back(line("using Products = Instructions"));
    out.push_back(of_score("static UC_FN float score", kernel_.weight, "return float({})"));
    if (kernel_.seen) {
      cpp::Function seen = of_score("static UC_FN bool seen", kernel_.seen, "return {} != 0");
      seen.params.pop_back();
      out.push_back(std::move(seen));
    }
    out.push_back(element());
    out.push_back(store());
    return {"struct Traits", std::move(out)};
  }

  const Attention& kernel_;
  const AttentionTiles& tiles_;
};

}  // namespace

std::string attention_refuses(const Attention& kernel) {
  for (const View* view : {&kernel.q, &kernel.k, &kernel.v}) {
    if (!multiplies(kernel.math, view->dtype))
      return fmt::format("it does not multiply {} as {}", name(view->dtype), name(kernel.math));
  }
  const AttentionTiles least = attention_tiles(kernel, {16, 16, 1});
  if (least.slices == 0)
    return fmt::format("{} features of values divide into no equal slices of at most {}", kernel.value_dim(),
                       kAttentionSlice);
  if (least.shared() > kAttentionShared)
    return fmt::format("heads of {} features do not fit into shared memory", kernel.head_dim());
  if (1 + kernel.score.views.size() + kernel.epilogue.views.size() > kMostViews)
    return fmt::format("it reads and writes more than {} tensors", kMostViews + 2);
  for (const Scalar* scalar : {&kernel.score, &kernel.epilogue}) {
    std::string why = scalar_refuses(*scalar);
    if (!why.empty()) return why;
  }
  return {};
}

EmittedKernel emit_attention(const Attention& kernel, const AttentionConfig& config, std::string_view arch) {
  const AttentionTiles tiles = attention_tiles(kernel, config);
  const AttentionEmitter emitter(kernel, tiles);
  EmittedKernel out;
  out.device_source = emitter.device();
  out.host_source = emitter.host();
  out.arch = arch;
  out.summary =
      fmt::format("attention {} {}x{}{} in {} stages, {} threads, heads of {} and {}{}", name(kernel.math),
                  tiles.rows, tiles.keys, tiles.groups ? " in warpgroups" : "", tiles.stages, tiles.threads(),
                  kernel.head_dim(), kernel.value_dim(), kernel.causal ? ", causal" : "");
  name_kernel(out);
  return out;
}

}  // namespace uc
