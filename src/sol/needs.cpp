#include "sol/needs.h"

#include <algorithm>
#include <cstdlib>

#include "catalog/op_spec.h"
#include "sol/regions.h"

namespace uc::sol {
namespace {

constexpr double kWhole = 1 - 1e-9;

Need whole(const Value& value) { return {std::vector<double>(value.shape.size(), 1.0), 1}; }
Need part(const Value& value, double share) { return {std::vector<double>(value.shape.size(), 1.0), share}; }

// A pointwise operand is needed where the result is; a broadcast dimension has one index.
Need along(const Value& value, const Need& out) {
  Need need = part(value, out.inside);
  const size_t rank = std::min(value.shape.size(), out.dims.size());
  for (size_t d = 1; d <= rank; ++d) {
    const size_t at = value.shape.size() - d;
    if (value.shape[at] > 1 && value.stride[at] != 0) need.dims[at] = out.dims[out.dims.size() - d];
  }
  return need;
}

// Dimensions [0, count) as the result has them; the rest of the result's box says how much, not where.
Need leading(const Value& value, const Shape& shape, const Need& out, size_t count, size_t ignored) {
  if (value.shape.size() != shape.size()) return part(value, out.total());
  Need need = part(value, out.inside);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d == ignored) continue;
    if (d < count && value.shape[d] == shape[d]) {
      need.dims[d] = out.dims[d];
    } else {
      need.inside *= out.dims[d];
    }
  }
  return need;
}

// C[.., M, N] of A[.., M, K] and B, whose N is in one of its last two dimensions.
Need of_product(const Value& value, const Shape& shape, const Need& out, size_t i) {
  const size_t rank = shape.size();
  if (rank < 2 || i > 1) return part(value, out.total());
  if (i == 0) return leading(value, shape, out, rank - 1, rank - 1);
  if (value.shape.size() == rank) return leading(value, shape, out, rank - 2, rank - 2);
  return part(value, out.inside * out.dims.back());
}

// x[N, C, ...] as far as batch and space go; weights by channels.
Need of_convolution(const Value& value, const Shape& shape, const Need& out, const Op& op, size_t i) {
  if (i > 1 || shape.size() < 3) return part(value, out.total());
  if (i == 1) return part(value, out.inside * out.dims[1]);
  const bool grouped = op.attrs.get_int("groups", 1) != 1;
  return leading(value, shape, out, 1, grouped ? shape.size() : 1);
}

// softmax(Q K') V: a query needs all keys and values.
Need of_attention(const Value& value, const Shape& shape, const Need& out, size_t i) {
  const size_t rank = shape.size();
  if (i == 0 && value.shape.size() == rank) return leading(value, shape, out, rank - 1, rank - 1);
  return rank < 2 ? part(value, out.total()) : leading(value, shape, out, rank - 2, rank - 2);
}

// Of parts that lie side by side, what is dropped may be all of this one.
Need of_parts(const Value& value, const Value& result, const Need& out) {
  const auto own = static_cast<double>(numel(value.shape));
  const auto all = static_cast<double>(numel(result.shape));
  return part(value, own > 0 ? std::max(0.0, (out.total() * all - (all - own)) / own) : 0);
}

}  // namespace

double Need::total() const {
  double out = inside;
  for (const double share : dims) out *= share;
  return out;
}

Needs::Needs(const Program& program, const std::vector<OpId>& running, const std::vector<OpWork>& work)
    : program_(program), work_(work), numbers_(program.values.size(), 0), share_(program.ops.size(), 1) {
  for (const OpId id : running) {
    const Op& op = program[id];
    for (size_t i = 0; i < op.in.size(); ++i) readers_[program[op.in[i]].root.index()].push_back({id, i});
  }
  for (const ValueId id : program.results) {
    const Value& value = program[id];
    if (!value.observed || !value.observed->constant) returned_[value.root.index()].push_back(id);
  }
  forward(running);
  for (size_t i = running.size(); i-- > 0;) backward(running[i]);
}

void Needs::forward(const std::vector<OpId>& running) {
  for (size_t i = 0; i < program_.values.size(); ++i) {
    const Value& value = program_.values[i];
    numbers_[i] = value.kind == ValueKind::literal ? 0 : distinct_elements(value);
  }
  for (const OpId id : running) {
    const Op& op = program_[id];
    if (work_[id.index()].contracts || op.in.empty() || op.spec->drawn) continue;
    double from = 0;
    for (const ValueId in : op.in) from += numbers(in);
    for (const ValueId out : op.out)
      numbers_[out.index()] = std::min(numbers_[out.index()], std::max(1.0, from));
  }
}

double Needs::numbers(ValueId id) const {
  const Value& value = program_[id];
  if (value.kind == ValueKind::literal) return 0;
  return std::min(distinct_elements(value), numbers_[value.root.index()]);
}

void Needs::backward(OpId id) {
  for (const ValueId out : program_[id].out) needs_[out] = need_of(program_[out].root);
  share_[id.index()] = share_of(id);
}

double Needs::share_of(OpId id) const {
  const Op& op = program_[id];
  double most = 0;
  double needed = 0;
  double all = 0;
  for (const ValueId out : op.out) {
    const double share = needs_.at(out).total();
    const auto count = static_cast<double>(numel(program_[out].shape));
    most = std::max(most, share);
    needed += share * count;
    all += count;
  }
  if (op.spec->scalar != nullptr) return all > 0 ? needed / all : 1;  // each result apart
  if (op.spec->needed == nullptr || most >= kWhole) return most;
  std::vector<const Value*> views;
  for (size_t i = 0; i < op.out.size(); ++i) {
    const ValueId root = program_[op.out[i]].root;
    if (const auto read = readers_.find(root.index()); read != readers_.end()) {
      if (i > 0) return 1;
      for (const Reader& reader : read->second)
        views.push_back(&program_[program_[reader.op].in[reader.operand]]);
    }
    if (const auto read = returned_.find(root.index()); read != returned_.end()) {
      if (i > 0) return 1;
      for (const ValueId view : read->second) views.push_back(&program_[view]);
    }
  }
  return std::clamp(op.spec->needed(program_, op, views), 0.0, 1.0);
}

// What an operator needs of an operand's view.
Need Needs::operand(OpId id, size_t i) const {
  const Op& op = program_[id];
  const Value& value = program_[op.in[i]];
  const size_t which = op.spec->scalar != nullptr && op.out.size() > 1 ? std::min(i, op.out.size() - 1) : 0;
  const Value& result = program_[op.out[which]];
  const auto made = needs_.find(op.out[which]);  // absent: it runs when weights are loaded
  const Need out = made == needs_.end() ? whole(result) : made->second;
  const std::string_view family = op.spec->family;
  Need need = whole(value);
  if (op.spec->needed != nullptr || share(id) >= kWhole) {
    need.inside = share(id);
  } else if (op.spec->scalar != nullptr) {
    need = along(value, out);
  } else if (op.out.size() > 1) {
    need.inside = share(id);
  } else if (family == "contraction" && op.spec->lower != nullptr) {
    need = of_product(value, result.shape, out, i);
  } else if (family == "conv") {
    need = of_convolution(value, result.shape, out, op, i);
  } else if (family == "attention") {
    need = of_attention(value, result.shape, out, i);
  } else if (family == "data" && op.spec->reads == nullptr) {
    need = op.in.size() > 1 ? of_parts(value, result, out) : part(value, out.total());
  } else {
    need = leading(value, result.shape, out, result.shape.size(), result.shape.size());
  }
  if (op.spec->reads != nullptr) {
    const double all = distinct_elements(value);
    if (all > 0) need.inside *= std::min(1.0, op.spec->reads(program_, op, i) / all);
  }
  return need;
}

double Needs::elements(OpId id, size_t i) const {
  return distinct_elements(program_[program_[id].in[i]]) * operand(id, i).total();
}

// A part of a view as a part of the memory that it looks at: dimensions of the view lie in the dimension of
// the memory whose steps they make, wholly or in part.
Need Needs::in_root(ValueId id, const Need& need) const {
  const Value& view = program_[id];
  const Value& root = program_[view.root];
  const double all = distinct_elements(root);
  const double share = all > 0 ? std::min(1.0, distinct_elements(view) / all) * need.total() : 0;
  if (id == view.root) return need;
  Need out = whole(root);
  std::vector<double> count(root.shape.size(), 1);
  for (size_t d = 0; d < view.shape.size(); ++d) {
    const int64_t step = std::abs(view.stride[d]);
    if (view.shape[d] == 1 || step == 0) continue;
    size_t into = root.shape.size();
    for (size_t r = 0; r < root.shape.size(); ++r) {
      if (root.shape[r] > 1 && root.stride[r] > 0 && step % root.stride[r] == 0 &&
          step * (view.shape[d] - 1) < root.stride[r] * root.shape[r] &&
          (into == root.shape.size() || root.stride[r] > root.stride[into]))
        into = r;
    }
    if (into == root.shape.size()) return part(root, share);  // it spans several
    count[into] *= static_cast<double>(view.shape[d]) * need.dims[d];
  }
  for (size_t r = 0; r < root.shape.size(); ++r)
    if (root.shape[r] > 1) out.dims[r] = std::min(1.0, count[r] / static_cast<double>(root.shape[r]));
  out.inside = need.inside;
  return out.total() <= share * (1 + 1e-9) ? out : part(root, share);
}

// The union of what readers need is no less than the largest part, and than the union of the views that are
// read whole.
Need Needs::need_of(ValueId id) const {
  const Value& root = program_[id];
  std::vector<ValueId> views;
  Need best = part(root, 0);
  if (const auto found = returned_.find(id.index()); found != returned_.end()) views = found->second;
  if (const auto found = readers_.find(id.index()); found != readers_.end()) {
    for (const auto& [op, i] : found->second) {
      const ValueId view = program_[op].in[i];
      const Need need = operand(op, i);
      if (need.total() >= kWhole) {
        views.push_back(view);
      } else if (Need each = in_root(view, need); each.total() > best.total()) {
        best = std::move(each);
      }
    }
  }
  const double all = distinct_elements(root);
  if (views.empty() || all == 0) return best;
  std::vector<const Value*> seen;
  for (const ValueId view : views) seen.push_back(&program_[view]);
  const double share = distinct_elements(root, seen) / all;
  if (share >= kWhole) return whole(root);
  Need united = part(root, share);
  for (const ValueId view : views) {
    Need each = in_root(view, whole(program_[view]));
    if (each.total() >= share * kWhole) return each;
  }
  return united.total() >= best.total() ? united : best;
}

void keep_needed(const Program& program, const std::vector<OpId>& running, const Needs& needs,
                 std::vector<OpWork>& work) {
  for (const OpId id : running) {
    const Op& op = program[id];
    OpWork& each = work[id.index()];
    const double share = needs.share(id);
    double numbers = 0;
    double least = 1;
    for (size_t i = 0; i < op.in.size(); ++i) {
      const double own = needs.numbers(op.in[i]);
      numbers += own;
      const double all = distinct_elements(program[op.in[i]]);
      const bool given = program[program[op.in[i]].root].params_only;
      if (i < 2 && all > 0 && !given) least *= std::min(1.0, own / all);
    }
    each.needed = share < kWhole;
    each.copies = each.contracts && least * each.shared < kWhole;
    if (each.contracts) {
      // A triangular product has no work in the triangle that is dropped after it.
      const bool triangular = each.reduced_by == &work_rules::kTriangular;
      const double minimum =
          triangular ? std::min(each.minimum_flops, each.dense_flops * share) : each.minimum_flops * share;
      const double fast = triangular ? minimum : std::min(each.least_flops * share, minimum);
      each.least_flops = fast * least * each.shared;
      each.minimum_flops = minimum * least * each.shared;
    }
    const double spare =
        op.in.empty() ? 1 : std::min(1.0, std::max(1.0, numbers) / std::max(1.0, each.items));
    each.least_fma *= share * spare;
    each.least_special *= share * spare;
    each.least_integer *= share * spare;
  }
}

}  // namespace uc::sol
