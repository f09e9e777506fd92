#include "emit/cutlass2_epilogue.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "emit/scalar_cpp.h"

namespace uc {
namespace {

using cpp::line;
using cpp::make;
using cpp::Type;

constexpr size_t kMostViews = 12;  // UC_MAX_VIEWS of uc_kernel_args.h

bool is_f8(DType type) { return type == DType::f8e4m3 || type == DType::f8e5m2; }

}  // namespace

Gemm2Epilogue::Gemm2Epilogue(const Contraction& kernel, const Gemm2Family& family, std::string where)
    : kernel_(kernel),
      tensor_(family.tensor()),
      transposed_(gemm2_transposed(kernel)),
      where_(std::move(where)),
      loads_(loaded_views(kernel.epilogue)) {}

std::string Gemm2Epilogue::refuses(const Contraction& kernel) {
  if (kernel.meet != 0) return "its epilogue sees elements one by one, and no rows";
  const Scalar& scalar = kernel.epilogue;
  if (scalar.views.size() > kMostViews)
    return fmt::format("the epilogue reads and writes more than {} tensors", kMostViews);
  for (const View& view : scalar.views) {
    if (is_f8(view.dtype)) return "its epilogue neither reads nor writes f8";
  }
  for (const Effect& effect : scalar.effects) {
    if (effect.combine != Combine::none) return "its epilogue combines no elements of rows or columns";
  }
  for (const Node& node : scalar.nodes) {
    if (node.kind == Node::Kind::cast && is_f8(node.type)) return "its epilogue neither reads nor writes f8";
    if (node.kind == Node::Kind::call && compute_type(node.type) == DType::i64)
      return "its epilogue computes in f32 and f64, not in integers";
    if (node.kind == Node::Kind::coordinate) return "its epilogue does not know where an element is";
  }
  return {};
}

std::vector<cpp::Decl> Gemm2Epilogue::declarations() const {
  const Scalar& scalar = kernel_.epilogue;
  std::vector<std::string> params{fmt::format("{} acc", compute_cpp(kernel_.accumulate))};
  ScalarSpelling spelling;
  spelling.running = "acc";
  spelling.tensor = [](uint32_t view) { return fmt::format("t{}", view); };
  Type loads = make("uc2::List");
  for (const uint32_t view : loads_) {
    params.push_back(fmt::format("{} t{}", compute_cpp(scalar.views[view].dtype), view));
    loads.args.push_back(load(view));
  }
  std::vector<cpp::Statement> body = scalar_statements(scalar, stored_nodes(scalar), spelling);
  Type stores = make("uc2::List");
  for (const Effect& effect : scalar.effects) {
    const std::string type(info(scalar.views[effect.view].dtype).cuda);
    params.push_back(fmt::format("{}& r{}", type, effect.view));
    body.push_back(
        line(fmt::format("r{} = uc_store_as<{}>::of({})", effect.view, type, name_of(effect.node))));
    stores.args.push_back(store(effect.view));
  }
  cpp::Struct expression{"struct Expression",
                         {cpp::Function{"static UC_FN void at", std::move(params), std::move(body)}}};
  if (loads.args.empty()) loads = Type("uc2::List<>");
  return {std::move(expression), cpp::Alias{"Loads", std::move(loads)},
          cpp::Alias{"Stores", std::move(stores)}};
}

std::vector<cpp::Decl> Gemm2Epilogue::visitor(bool in_parts) const {
  const std::string iterator = "typename Base::Epilogue::OutputTileIterator";
  const std::string views = std::to_string(kernel_.epilogue.views.size());
  const auto placed = [this](Type type) {
    if (!where_.empty()) type.args.emplace_back(where_);
    return type;
  };
  if (!in_parts)
    return {cpp::Alias{"Visitor",
                       placed(make("uc2::Visitor", iterator, "Expression", views, "Loads", "Stores"))}};
  const std::string accumulator(info(kernel_.accumulate).cuda);
  const std::string sum = fmt::format("uc2::List<uc2::Store<0, {}, {}>>", accumulator, width(true));
  return {cpp::Alias{"Visitor", make("uc2::Visitor", iterator, fmt::format("uc2::Sum<{}>", accumulator), "1",
                                     "uc2::List<>", sum)},
          cpp::Alias{"Reduction",
                     placed(make("uc2::Reduction", accumulator, "Expression", views, "Loads", "Stores"))}};
}

// Elements that a thread handles at once: as many as some store moves. SIMT epilogues handle single ones.
int64_t Gemm2Epilogue::width(bool in_parts) const {
  const int64_t most = 16 / size_bytes(kernel_.accumulate);
  if (!tensor_) return 1;
  if (in_parts) {
    const int64_t columns = transposed_ ? kernel_.m() : kernel_.n();
    return std::min(most, columns & -columns);
  }
  int64_t out = 1;
  for (const Effect& effect : kernel_.epilogue.effects) {
    const View& view = kernel_.epilogue.views[effect.view];
    const int64_t wide = gemm2_width(view, transposed_ ? 1 : 2);
    const bool half = kernel_.accumulate == DType::f32 && size_bytes(view.dtype) == 2 && wide == 8;
    out = std::max(out, half ? wide : std::min(wide, most));
  }
  return out;
}

int64_t Gemm2Epilogue::width_of(uint32_t view) const {
  return std::min(width(false), gemm2_width(kernel_.epilogue.views[view], transposed_ ? 1 : 2));
}

cpp::Type Gemm2Epilogue::exchanged(bool in_parts) const {
  // CUTLASS arranges shared memory without conflicts for eight f16 (or bf16) of f32 accumulators.
  if (width(in_parts) == 8) return "cutlass::half_t";
  return std::string(info(kernel_.accumulate).cutlass);
}

cpp::Type Gemm2Epilogue::output(bool in_parts) const {
  const std::string accumulator(info(kernel_.accumulate).cutlass);
  return make("cutlass::epilogue::thread::LinearCombination", exchanged(in_parts),
              std::to_string(width(in_parts)), accumulator, accumulator);
}

cpp::Type Gemm2Epilogue::load(uint32_t index) const {
  const View& view = kernel_.epilogue.views[index];
  const size_t fast = transposed_ ? 1 : 2;
  const auto moves = [&view](size_t d) { return view.shape[d] != 1 && view.stride[d] != 0; };
  const bool n = moves(fast);
  const bool m = moves(3 - fast);
  const std::string_view along = n && m ? "both" : n ? "n" : m ? "m" : "none";
  return make("uc2::Load", std::to_string(index), std::string(info(view.dtype).cuda),
              fmt::format("uc2::Along::{}", along), std::to_string(n ? width_of(index) : 1));
}

cpp::Type Gemm2Epilogue::store(uint32_t index) const {
  return make("uc2::Store", std::to_string(index),
              std::string(info(kernel_.epilogue.views[index].dtype).cuda), std::to_string(width_of(index)));
}

}  // namespace uc
