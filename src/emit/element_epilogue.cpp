#include "emit/element_epilogue.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/scalar_fn.h"
#include "emit/scalar_cpp.h"
#include "plan/gemm2_choices.h"

namespace uc {
namespace {

using cpp::Alias;
using cpp::line;
using cpp::make;
using cpp::Type;

constexpr size_t kMostViews = 12;       // UC_MAX_VIEWS of uc_kernel_args.h
constexpr int64_t kNeighbours = 4;      // kColumns of uc_element.cuh
constexpr size_t kColumnDimension = 2;  // of [L, M, N]

std::string effect_refuses(const Contraction& kernel, const Effect& effect) {
  const View& out = kernel.epilogue.views[effect.view];
  if (effect.combine == Combine::none) return {};
  if (out.dtype != DType::f32 && out.dtype != DType::f16 && out.dtype != DType::bf16)
    return fmt::format("sums are stored as f32, f16 or bf16, not {}", name(out.dtype));
  return {};
}

std::string node_refuses(const Contraction& kernel, const Node& node) {
  if (node.kind == Node::Kind::call && compute_type(node.type) == DType::i64 && node.fn->i64 == nullptr)
    return fmt::format("its epilogue has no `{}` of integers", node.fn->name);
  if (node.kind == Node::Kind::coordinate && !has_place(node, kernel.transposed ? kernel.m() : kernel.n()))
    return "its epilogue counts rows and columns, no parts of them";
  return {};
}

// Along which dimension a combined vector lies; every element of the other one meets there.
bool along_n(const View& view) { return view.stride[1] == 0 && (view.stride[2] != 0 || view.shape[2] == 1); }

Type list(std::string name, std::vector<Type> args) {
  if (args.empty()) return Type(name + "<>");
  Type out = make(std::move(name));
  out.args = std::move(args);
  return out;
}

}  // namespace

ElementEpilogue::ElementEpilogue(const Contraction& kernel)
    : kernel_(kernel), loads_(loaded_views(kernel.epilogue)) {}

std::string ElementEpilogue::refuses(const Contraction& kernel) {
  if (kernel.epilogue.views.size() > kMostViews)
    return fmt::format("the epilogue reads and writes more than {} tensors", kMostViews);
  if (kernel.meet != 0) return "its epilogue sees elements one by one, and no rows";
  for (const Effect& effect : kernel.epilogue.effects) {
    std::string why = effect_refuses(kernel, effect);
    if (!why.empty()) return why;
  }
  for (const Node& node : kernel.epilogue.nodes) {
    std::string why = node_refuses(kernel, node);
    if (!why.empty()) return why;
  }
  return {};
}

std::string ElementEpilogue::accumulator() const { return std::string(info(kernel_.accumulate).cuda); }

bool ElementEpilogue::combines() const {
  return std::ranges::any_of(kernel_.epilogue.effects,
                             [](const Effect& effect) { return effect.combine != Combine::none; });
}

Type ElementEpilogue::load(uint32_t index) const {
  const View& view = kernel_.epilogue.views[index];
  const bool moves = view.shape[kColumnDimension] != 1 && view.stride[kColumnDimension] != 0;
  const int64_t width = moves ? std::min(kNeighbours, gemm2_width(view, kColumnDimension)) : 0;
  return make("uc_element::Load", std::to_string(index), std::string(info(view.dtype).cuda),
              std::to_string(width));
}

Type ElementEpilogue::store(const Effect& effect) const {
  const View& view = kernel_.epilogue.views[effect.view];
  return make("uc_element::Store", std::to_string(effect.view), std::string(info(view.dtype).cuda),
              std::to_string(std::min(kNeighbours, gemm2_width(view, kColumnDimension))));
}

Type ElementEpilogue::combined(const Effect& effect) const {
  const View& view = kernel_.epilogue.views[effect.view];
  const std::string how = effect.combine == Combine::sum   ? "uc_element::Plus"
                          : effect.combine == Combine::max ? "uc_element::Largest"
                                                           : "uc_element::Least";
  const bool all_batches = kernel_.batch() > 1 && view.stride[0] == 0;
  return make("uc_element::Combined", std::to_string(effect.view), std::string(info(view.dtype).cuda), how,
              along_n(view) ? "true" : "false", all_batches ? "true" : "false");
}

cpp::Struct ElementEpilogue::expression() const {
  const Scalar& scalar = kernel_.epilogue;
  std::vector<std::string> params{"uc_element::Place const& place",
                                  fmt::format("{} acc", compute_cpp(kernel_.accumulate))};
  ScalarSpelling spelling;
  spelling.running = "acc";
  spelling.tensor = [](uint32_t view) { return fmt::format("t{}", view); };
  // The kernel's place when it computes the transpose: the program's rows are its columns.
  spelling.row = kernel_.transposed ? "place.transposed_row()" : "place.row()";
  spelling.column = kernel_.transposed ? "place.m" : "place.n";
  spelling.columns = kernel_.transposed ? kernel_.m() : kernel_.n();
  spelling.rows = kernel_.batch() * (kernel_.transposed ? kernel_.n() : kernel_.m());
  for (const uint32_t view : loads_)
    params.push_back(fmt::format("{} t{}", compute_cpp(scalar.views[view].dtype), view));
  std::vector<cpp::Statement> body = scalar_statements(scalar, stored_nodes(scalar), spelling);
  std::vector<std::string> combined;
  for (const Effect& effect : scalar.effects) {
    if (effect.combine != Combine::none) {
      combined.push_back(fmt::format("float& r{}", effect.view));
      body.push_back(line(fmt::format("r{} = float({})", effect.view, name_of(effect.node))));
      continue;
    }
    const std::string type(info(scalar.views[effect.view].dtype).cuda);
    params.push_back(fmt::format("{}& r{}", type, effect.view));
    body.push_back(
        line(fmt::format("r{} = uc_store_as<{}>::of({})", effect.view, type, name_of(effect.node))));
  }
  params.insert(params.end(), combined.begin(), combined.end());
  return {"struct Expression", {cpp::Function{"static UC_FN void at", std::move(params), std::move(body)}}};
}

std::vector<cpp::Decl> ElementEpilogue::declarations() const {
  std::vector<Type> loads;
  std::vector<Type> stores;
  std::vector<Type> sums;
  for (const uint32_t view : loads_) loads.push_back(load(view));
  for (const Effect& effect : kernel_.epilogue.effects) {
    if (effect.combine == Combine::none) {
      stores.push_back(store(effect));
    } else {
      sums.push_back(combined(effect));
    }
  }
  return {expression(), Alias{"Loads", list("uc_element::List", std::move(loads))},
          Alias{"Stores", list("uc_element::List", std::move(stores))},
          Alias{"Sums", list("uc_element::List", std::move(sums))}};
}

}  // namespace uc
