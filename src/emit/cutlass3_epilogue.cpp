#include "emit/cutlass3_epilogue.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "emit/cutlass3_types.h"
#include "emit/scalar_cpp.h"

namespace uc::cutlass3 {
namespace {

using cpp::Alias;
using cpp::line;
using cpp::make;
using cpp::Type;

constexpr const char* kRound = "cutlass::FloatRoundStyle::round_to_nearest";

// A sixteenth of a kilobit, in elements: what CUTLASS's stores ask for.
std::string vector_of(DType type) { return std::to_string(alignment(type)); }

std::string leaf_name(uint32_t view) { return fmt::format("Leaf{}", view); }
std::string store_name(size_t effect) { return fmt::format("Store{}", effect); }

// Of the sums, a row lies along N and collects what is above and below.
bool along_n(const View& view) { return view.stride[2] != 0 || view.shape[2] == 1; }

std::string identity(Combine combine) {
  switch (combine) {
    case Combine::max: return "-INFINITY";
    case Combine::min: return "INFINITY";
    default: return "0.0f";
  }
}

Type reduction(const Effect& effect, const View& view) {
  const std::string fn = effect.combine == Combine::sum   ? "cutlass::plus"
                         : effect.combine == Combine::max ? "cutlass::maximum_with_nan_propagation"
                                                          : "cutlass::minimum_with_nan_propagation";
  const bool row = along_n(view);
  return make(row ? "fusion::Sm90RowReduction" : "fusion::Sm90ColReduction", fn, fn, fn, "0", "TileShape",
              element(view.dtype), "float", kRound,
              row ? "Stride<_0, _1, int64_t>" : "Stride<_1, _0, int64_t>");
}

// Broadcasts hand 16- and 32-bit floats over as f32, others as they are.
std::string broadcast_type(DType type) {
  const bool floats = is_floating(type) && size_bytes(type) > 1;
  return floats ? "float" : element(type);
}

// Vectors of 16 bytes along rows, or any strides, element by element.
Type matrix_stride(const View& view) {
  return make(whole_vectors(view) ? "Stride<int64_t, _1, int64_t>" : "Stride<int64_t, int64_t, int64_t>");
}

std::string matrix_stride_argument(const View& view, uint32_t index) {
  return whole_vectors(view)
             ? fmt::format("{{x->view[{0}].stride[1], _1{{}}, x->view[{0}].stride[0]}}", index)
             : fmt::format("{{x->view[{0}].stride[1], x->view[{0}].stride[2], x->view[{0}].stride[0]}}",
                           index);
}

}  // namespace

std::string loaded_element(DType type, uint32_t index) {
  return fmt::format("{}(t{}[i])", is_floating(type) ? "float" : "int64_t", index);
}

EffectElement effect_element(const Effect& effect, const Scalar& scalar) {
  const std::string value = name_of(effect.node);
  const DType type = scalar.views[effect.view].dtype;
  if (effect.combine != Combine::none) return {"float", fmt::format("float({})", value), false};
  if (is_floating(type)) return {"float", fmt::format("float({})", value), true};
  const bool floating = is_floating(compute_type(scalar.nodes[effect.node.index()].type));
  return {element(type),
          fmt::format("{}({})", element(type), floating ? fmt::format("int64_t({})", value) : value), false};
}

EpilogueTree::EpilogueTree(const Contraction& kernel, const ContractionConfig& config, PixelPlaces pixels)
    : kernel_(kernel), config_(config), pixels_(std::move(pixels)), parts_(epilogue_parts(kernel.epilogue)) {
  if (pixels_.arguments.empty()) return;
  // Nothing of that can be stored or read by tensor memory access.
  parts_.source.reset();
  parts_.result.reset();
  parts_.aside.clear();
  for (size_t i = 0; i < scalar().effects.size(); ++i) parts_.aside.push_back(i);
}

bool EpilogueTree::by_pixels(uint32_t index) const {
  const LeafKind kind = leaf_kind(view(index));
  return !pixels_.arguments.empty() && kind != LeafKind::scalar && (pixels_.rows || kind != LeafKind::row);
}

std::string EpilogueTree::pixel_argument(uint32_t index) const {
  return fmt::format("{{x->view[{}]{}}}", index, pixels_.beside);
}

bool EpilogueTree::places() const {
  return std::ranges::any_of(scalar().nodes,
                             [](const Node& node) { return node.kind == Node::Kind::coordinate; });
}

bool EpilogueTree::reduces() const {
  return std::ranges::any_of(scalar().effects,
                             [](const Effect& effect) { return effect.combine != Combine::none; });
}

cpp::Struct EpilogueTree::functor() const {
  std::string types = "class Acc";
  std::vector<std::string> params{"cutlass::Array<Acc, N> const& acc"};
  for (const uint32_t index : parts_.loads) {
    types += fmt::format(", class T{}", index);
    params.push_back(fmt::format("cutlass::Array<T{0}, N> const& t{0}", index));
  }
  if (places()) params.emplace_back("cutlass::Array<uc_epilogue::Place, N> const& place");
  ScalarSpelling spelling;
  spelling.running = "acc[i]";
  spelling.tensor = [this](uint32_t index) { return loaded_element(view(index).dtype, index); };
  spelling.row = "place[i].row";
  spelling.column = "place[i].column";
  spelling.columns = kernel_.transposed ? kernel_.m() : kernel_.n();
  spelling.rows = kernel_.batch() * (kernel_.transposed ? kernel_.n() : kernel_.m());
  std::vector<NodeId> wanted;
  for (const Effect& effect : scalar().effects) wanted.push_back(effect.node);
  auto loop = scalar_statements(scalar(), wanted, spelling);

  std::vector<cpp::Statement> body;
  std::string results;
  for (size_t i = 0; i < scalar().effects.size(); ++i) {
    const Effect& effect = scalar().effects[i];
    const EffectElement out = effect_element(effect, scalar());
    body.push_back(line(fmt::format("cutlass::Array<{}, N> out{}", out.element, i)));
    loop.push_back(line(fmt::format("out{}[i] = {}", i, out.value)));
    const std::string to = element(view(effect.view).dtype);
    results += fmt::format(
        "{}{}", results.empty() ? "" : ", ",
        out.round ? fmt::format("uc_epilogue::rounded<{}>(out{})", to, i) : fmt::format("out{}", i));
  }
  body.push_back(cpp::block("CUTLASS_PRAGMA_UNROLL\n    for (int i = 0; i < N; ++i)", std::move(loop)));
  body.push_back(line(alone() ? "return " + results : fmt::format("return cute::make_tuple({})", results)));
  cpp::Function call{fmt::format("template <int N, {}>\n  static CUTLASS_HOST_DEVICE auto of", types), params,
                     std::move(body)};
  return cpp::Struct{"struct Chain", {std::move(call)}};
}

Type EpilogueTree::leaf(uint32_t index) const {
  const std::string type = element(view(index).dtype);
  if (by_pixels(index)) return make(pixels_.space + "::Load", type, pixels_.arguments);
  switch (leaf_kind(view(index))) {
    case LeafKind::scalar: return make("fusion::Sm90ScalarBroadcast", type, "Stride<_0, _0, int64_t>");
    case LeafKind::row:
      return make("fusion::Sm90RowBroadcast", "0", "TileShape", type, broadcast_type(view(index).dtype),
                  "Stride<_0, _1, int64_t>");
    case LeafKind::column:
      return make("fusion::Sm90ColBroadcast", "0", "TileShape", type, broadcast_type(view(index).dtype),
                  "Stride<_1, _0, int64_t>");
    default: break;
  }
  if (parts_.source == index) return make("fusion::Sm90SrcFetch", type);
  return make("fusion::Sm90AuxLoad", "0", "void", type, matrix_stride(view(index)), "void", "void",
              vector_of(view(index).dtype));
}

Type EpilogueTree::store(const Effect& effect) const {
  const View& to = view(effect.view);
  if (effect.combine != Combine::none) return reduction(effect, to);
  if (!pixels_.arguments.empty())
    return make(pixels_.space + "::Store", element(to.dtype), pixels_.arguments,
                pixels_.pairs[effect.view] ? "true" : "false");
  return make("fusion::Sm90AuxStore", "0", "void", element(to.dtype), kRound, matrix_stride(to), "void",
              "void", vector_of(to.dtype));
}

Type EpilogueTree::root(const std::string& child) const {
  const View* d = parts_.d(scalar());
  Type node = d == nullptr ? make("uc_epilogue::Discard", "float")
                           : make("uc_epilogue::Result", std::to_string(*parts_.result), element(d->dtype));
  return make("fusion::Sm90EVT", std::move(node), child);
}

std::vector<cpp::Decl> EpilogueTree::declarations() const {
  if (scalar().effects.empty()) {
    return {Alias{"Accumulator", make("fusion::Sm90AccFetch")},
            Alias{"Tree", make("fusion::Sm90EVT", make("uc_epilogue::Discard", "float"), "Accumulator")}};
  }
  std::vector<cpp::Decl> out{functor(), Alias{"Accumulator", make("fusion::Sm90AccFetch")}};
  Type chain = make("fusion::Sm90EVT", make("uc_epilogue::Compute", "Chain"), "Accumulator");
  for (const uint32_t index : parts_.loads) {
    out.push_back(Alias{leaf_name(index), leaf(index)});
    chain.args.push_back(make(leaf_name(index)));
  }
  if (places()) {
    out.push_back(Alias{"Places", make("uc_epilogue::Places", kernel_.transposed ? "true" : "false")});
    chain.args.push_back(make("Places"));
  }
  out.push_back(Alias{alone() ? "Tree" : "Made", std::move(chain)});
  if (alone()) return out;
  std::string child = "Made";
  for (const size_t i : parts_.aside) {
    const Effect& effect = scalar().effects[i];
    out.push_back(Alias{store_name(i), make("uc_epilogue::Tap", std::to_string(i), store(effect))});
    out.push_back(Alias{store_name(i) + "Made", make("fusion::Sm90EVT", store_name(i), child)});
    child = store_name(i) + "Made";
  }
  out.push_back(Alias{"Tree", root(child)});
  return out;
}

Type EpilogueTree::collective() const {
  const View* d = parts_.d(scalar());
  const std::string d_type = d == nullptr ? "void" : element(d->dtype);
  const std::string d_vector = vector_of(d == nullptr ? DType::f32 : d->dtype);
  const std::string c_type = parts_.source ? element(view(*parts_.source).dtype) : "void";
  const std::string c_vector = parts_.source ? vector_of(view(*parts_.source).dtype) : d_vector;
  Type builder = make("cutlass::epilogue::collective::CollectiveBuilder", "cutlass::arch::Sm90",
                      "cutlass::arch::OpClassTensorOp", "TileShape", "ClusterShape", epilogue_tile(config_),
                      accumulator(kernel_), "float", c_type, "cutlass::layout::RowMajor", c_vector, d_type,
                      "cutlass::layout::RowMajor", d_vector, epilogue_schedule(config_), "Tree");
  builder.member = "CollectiveOp";
  return builder;
}

// ---- the host half

std::string EpilogueTree::pointer(uint32_t index, bool read) const {
  return fmt::format("static_cast<{}{}*>(x->view[{}].data)", element(view(index).dtype), read ? " const" : "",
                     index);
}

std::string EpilogueTree::leaf_argument(uint32_t index) const {
  if (by_pixels(index)) return pixel_argument(index);
  switch (leaf_kind(view(index))) {
    case LeafKind::scalar:
      return fmt::format("{{{{}}, {{{}}}, {{{{_0{{}}, _0{{}}, x->view[{}].stride[0]}}}}}}",
                         pointer(index, true), index);
    case LeafKind::row:
      return fmt::format("{{{}, {{}}, {{_0{{}}, _1{{}}, x->view[{}].stride[0]}}}}", pointer(index, true),
                         index);
    case LeafKind::column:
      return fmt::format("{{{}, {{}}, {{_1{{}}, _0{{}}, x->view[{}].stride[0]}}}}", pointer(index, true),
                         index);
    default: break;
  }
  if (parts_.source == index) return "{}";
  return fmt::format("{{{}, {{}}, {}}}", pointer(index, true), matrix_stride_argument(view(index), index));
}

std::string EpilogueTree::store_argument(const Effect& effect) const {
  const uint32_t index = effect.view;
  if (effect.combine == Combine::none && !pixels_.arguments.empty()) return pixel_argument(index);
  if (effect.combine == Combine::none)
    return fmt::format("{{{}, {}}}", pointer(index, false), matrix_stride_argument(view(index), index));
  return fmt::format("{{x->view[{}].data, {}, {{{}, x->view[{}].stride[0]}}}}", index,
                     identity(effect.combine), along_n(view(index)) ? "_0{}, _1{}" : "_1{}, _0{}", index);
}

// Initialisers in the order of the tree, children first, then the node's own; typed, because a node of more
// than four takes them as a tuple.
std::string EpilogueTree::tree_argument() const {
  if (scalar().effects.empty()) return "typename Tree::Arguments{typename Accumulator::Arguments{}, {}}";
  std::string inner = "typename Accumulator::Arguments{}";
  for (const uint32_t index : parts_.loads)
    inner += fmt::format(", typename {}::Arguments{}", leaf_name(index), leaf_argument(index));
  if (places()) inner += ", typename Places::Arguments{}";
  std::string node = fmt::format("typename {}::Arguments{{{}, {{}}}}", alone() ? "Tree" : "Made", inner);
  if (alone()) return node;
  for (const size_t i : parts_.aside) {
    node = fmt::format("typename {0}Made::Arguments{{{1}, typename {0}::Arguments{2}}}", store_name(i), node,
                       store_argument(scalar().effects[i]));
  }
  return fmt::format("typename Tree::Arguments{{{}, {{}}}}", node);
}

std::vector<cpp::Statement> EpilogueTree::arguments() const {
  std::vector<cpp::Statement> out{line("a.epilogue.thread = " + tree_argument())};
  const auto matrix = [&out](std::string_view which, uint32_t index, const std::string& data) {
    out.push_back(line(fmt::format("a.epilogue.ptr_{} = {}", which, data)));
    out.push_back(line(fmt::format("get<0>(a.epilogue.d{}) = x->view[{}].stride[1]", which, index)));
    out.push_back(line(fmt::format("get<2>(a.epilogue.d{}) = x->view[{}].stride[0]", which, index)));
  };
  if (parts_.source) matrix("C", *parts_.source, pointer(*parts_.source, true));
  if (parts_.result) {
    const uint32_t d = scalar().effects[*parts_.result].view;
    matrix("D", d, pointer(d, false));
  }
  return out;
}

}  // namespace uc::cutlass3
