// Linear layers in a row: convolutions and products with weights, of which one is read by the next alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "catalog/op_spec.h"
#include "catalog/scalar_builder.h"
#include "catalog/scalar_fn.h"
#include "sol/chains.h"

namespace uc::sol {
namespace {

constexpr int kMostLinks = 8;

/// A product or convolution of data with weights.
struct Layer {
  OpId op;
  size_t data = 0;      ///< which operand
  size_t from_end = 1;  ///< the channels of data and result, counted from the last dimension
  double channels_in = 0, channels_out = 0;
  double places_in = 0, places_out = 0;
};

// The value of an expression whose operand `data` is x, and whose other operands are some number.
std::optional<double> value_at(const Scalar& scalar, uint32_t data, double x) {
  std::vector<double> values(scalar.nodes.size(), 0);
  for (size_t i = 0; i < scalar.nodes.size(); ++i) {
    const Node& node = scalar.nodes[i];
    const auto arg = [&](size_t k) { return k < node.arity ? values[node.args[k].index()] : 0; };
    switch (node.kind) {
      case Node::Kind::tensor: values[i] = node.view == data ? x : 1.25; break;
      case Node::Kind::constant: values[i] = node.constant; break;
      case Node::Kind::coordinate: values[i] = 1; break;
      case Node::Kind::cast: values[i] = arg(0); break;
      case Node::Kind::call:
        if (node.type == DType::i64 || node.fn->f64 == nullptr) return std::nullopt;
        values[i] = node.fn->f64(arg(0), arg(1), arg(2));
        break;
      default: return std::nullopt;
    }
  }
  return values.empty() ? std::nullopt : std::optional(values.back());
}

class Layers {
 public:
  Layers(const Catalog& catalog, const Program& program, const std::vector<OpId>& running, const Needs& needs,
         std::vector<OpWork>& work)
      : catalog_(catalog), program_(program), needs_(needs), work_(work), uses_(program.values.size(), 0) {
    for (const OpId id : running) {
      for (const ValueId in : program[id].in) ++uses_[program[in].root.index()];
    }
    for (const ValueId id : program.results) uses_[program[id].root.index()] += 2;
  }

  void run(const std::vector<OpId>& running) {
    std::vector<bool> done(program_.ops.size(), false);
    for (size_t i = running.size(); i-- > 0;) {  // the last of a row comes first
      if (done[running[i].index()]) continue;
      std::vector<Layer> row;
      for (auto layer = layer_of(running[i]); layer; layer = before(*layer)) {
        done[layer->op.index()] = true;
        row.push_back(*layer);
      }
      std::ranges::reverse(row);
      if (row.size() > 1) lower(row);
    }
  }

 private:
  std::optional<Layer> layer_of(OpId id) const {
    const Op& op = program_[id];
    if (!work_[id.index()].contracts || op.in.size() != 2 || op.out.size() != 1) return std::nullopt;
    Layer out;
    out.op = id;
    out.data = program_[op.in[0]].params_only ? 1 : 0;
    const Value& data = program_[op.in[out.data]];
    const Value& weights = program_[op.in[1 - out.data]];
    const Value& result = program_[op.out[0]];
    if (data.params_only || !weights.params_only || weights.shape.size() < 2) return std::nullopt;
    const size_t spatial = weights.shape.size() - 2;
    out.from_end = spatial + 1 + out.data;
    const bool batched = multiplies_matrices(*op.spec) && spatial > 0;  // a matrix for each of the batch
    if (batched || data.shape.size() < out.from_end || result.shape.size() < out.from_end)
      return std::nullopt;
    out.channels_in = static_cast<double>(data.shape[data.shape.size() - out.from_end]);
    out.channels_out = static_cast<double>(result.shape[result.shape.size() - out.from_end]);
    if (out.channels_in == 0 || out.channels_out == 0) return std::nullopt;
    out.places_in = static_cast<double>(numel(data.shape)) / out.channels_in;
    out.places_out = static_cast<double>(numel(result.shape)) / out.channels_out;
    return out;
  }

  // The layer whose result, with shifts and factors of weights, is this one's data and nothing else's.
  std::optional<Layer> before(const Layer& layer) const {
    ValueId at = program_[layer.op].in[layer.data];
    for (int links = 0; links < kMostLinks; ++links) {
      const ValueId root = program_[at].root;
      const OpId maker = program_[root].def;
      if (!maker || uses_[root.index()] != 1 || program_[root].shape != program_[at].shape)
        return std::nullopt;
      if (auto found = layer_of(maker)) return found->from_end == layer.from_end ? found : std::nullopt;
      const auto next = affine_of(maker);
      if (!next) return std::nullopt;
      at = *next;
    }
    return std::nullopt;
  }

  // The one operand that is no weight, of an elementwise operator that is a x + b in it.
  std::optional<ValueId> affine_of(OpId id) const {
    const Op& op = program_[id];
    if (op.spec->scalar == nullptr || op.out.size() != 1) return std::nullopt;
    std::optional<size_t> data;
    for (size_t i = 0; i < op.in.size(); ++i) {
      if (program_[op.in[i]].params_only || program_[op.in[i]].kind == ValueKind::literal) continue;
      if (data) return std::nullopt;
      data = i;
    }
    if (!data || program_[op.in[*data]].shape != program_[op.out[0]].shape || !is_affine(op, *data))
      return std::nullopt;
    return op.in[*data];
  }

  // By trying: what is straight at all these points and not everywhere counts less than it takes, never more.
  bool is_affine(const Op& op, size_t data) const {
    Scalar scalar;
    const Shape& shape = program_[op.out[0]].shape;
    ScalarBuilder builder(catalog_, scalar, compute_type(program_[op.out[0]].dtype), shape, shape);
    std::vector<NodeId> args;
    uint32_t of_data = std::numeric_limits<uint32_t>::max();
    for (size_t i = 0; i < op.in.size(); ++i) {
      const Value& value = program_[op.in[i]];
      View view;
      view.value = op.in[i];
      view.dtype = value.dtype;
      args.push_back(value.kind == ValueKind::literal ? builder.constant(value.literal)
                                                      : builder.tensor(view));
      if (i == data) of_data = scalar.nodes[args.back().index()].view;
    }
    const NodeId result = op.spec->scalar(builder, args, op.attrs);
    scalar.nodes.resize(result.index() + 1);
    const auto zero = value_at(scalar, of_data, 0);
    const auto one = value_at(scalar, of_data, 1);
    if (!zero || !one || *zero == *one) return false;
    const std::array points{-1e4, -70.0, -5.5, -1.0, -0.3, 0.2, 2.0, 7.5, 90.0, 1e4};
    return std::ranges::all_of(points, [&](double x) {
      const double straight = *zero + (*one - *zero) * x;
      const auto value = value_at(scalar, of_data, x);
      return value && std::abs(*value - straight) <= 1e-9 * (1 + std::abs(straight));
    });
  }

  // One layer for all from `first` to `last`: each channel of the result depends on each of the data, at as
  // many places as the fewer of both have. One layer without groups is enough; else each depends on one at
  // least.
  double as_one(const std::vector<Layer>& row, size_t first, size_t last) const {
    const Layer& from = row[first];
    const Layer& to = row[last];
    const bool dense = std::any_of(
        row.begin() + static_cast<std::ptrdiff_t>(first), row.begin() + static_cast<std::ptrdiff_t>(last) + 1,
        [&](const Layer& each) { return program_[each.op].attrs.get_int("groups", 1) == 1; });
    const double pairs =
        dense ? from.channels_in * to.channels_out : std::max(from.channels_in, to.channels_out);
    return 2 * pairs * std::min(from.places_in, to.places_out) * needs_.share(to.op);
  }

  // The cheapest way to cut the row into layers.
  void lower(const std::vector<Layer>& row) const {
    double so_far = 0;
    std::vector<double> least(row.size() + 1, std::numeric_limits<double>::infinity());
    least[0] = 0;
    for (size_t last = 0; last < row.size(); ++last) {
      const double own = work_[row[last].op.index()].least_flops;
      so_far += own;
      for (size_t first = 0; first <= last; ++first)
        least[last + 1] =
            std::min(least[last + 1], least[first] + (first == last ? own : as_one(row, first, last)));
    }
    if (least.back() >= so_far) return;
    for (const Layer& layer : row) {
      OpWork& each = work_[layer.op.index()];
      each.least_flops *= least.back() / so_far;
      each.joined = true;
    }
  }

  const Catalog& catalog_;
  const Program& program_;
  const Needs& needs_;
  std::vector<OpWork>& work_;
  std::vector<size_t> uses_;  // one a value: how many operands its memory is
};

}  // namespace

void join_layers(const Catalog& catalog, const Program& program, const std::vector<OpId>& running,
                 const Needs& needs, std::vector<OpWork>& work) {
  Layers(catalog, program, running, needs, work).run(running);
}

}  // namespace uc::sol
