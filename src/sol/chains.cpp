#include "sol/chains.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "catalog/op_spec.h"

namespace uc::sol {
namespace {

constexpr size_t kMostLeaves = 48;

/// Matrix i of a chain is extents[i] x extents[i + 1].
struct Chain {
  struct Leaf {
    bool prepared;  ///< of params alone
    bool batched;   ///< another one for each of the batch
  };
  std::vector<Leaf> leaves;
  std::vector<double> extents;
  std::vector<OpId> ops;  ///< the last product last; one twice where two factors are made of it
  double batch = 1;
};

// The least multiply-adds, twice; of the last product a share.
double cheapest(const Chain& chain, double of_last = 1) {
  const size_t n = chain.leaves.size();
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  for (size_t length = 2; length <= n; ++length) {
    for (size_t i = 0; i + length <= n; ++i) {
      const size_t j = i + length - 1;
      const auto begin = chain.leaves.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end = begin + static_cast<std::ptrdiff_t>(length);
      if (std::all_of(begin, end, [](const Chain::Leaf& leaf) { return leaf.prepared; })) continue;
      const bool batched = std::any_of(begin, end, [](const Chain::Leaf& leaf) { return leaf.batched; });
      double best = kNone;
      const double share = length == n ? of_last : 1;
      for (size_t k = i; k < j; ++k) {
        best = std::min(best, cost[i][k] + cost[k + 1][j] +
                                  2 * share * (batched ? chain.batch : 1) * chain.extents[i] *
                                      chain.extents[k + 1] * chain.extents[j + 1]);
      }
      cost[i][j] = best;
    }
  }
  return cost[0][n - 1];
}

class Chains {
 public:
  Chains(const Program& program, const std::vector<OpId>& running, const Needs& needs,
         std::vector<OpWork>& work)
      : program_(program),
        running_(running),
        needs_(needs),
        work_(work),
        open_(program.values.size(), false),
        product_(program.ops.size(), false) {
    std::vector<bool> kept(program.values.size(), false);
    for (const OpId id : running)
      product_[id.index()] = work[id.index()].contracts && multiplies_matrices(*program[id].spec);
    for (const OpId id : running) {
      for (const ValueId in : program[id].in) {
        const size_t root = program[in].root.index();
        open_[root] = true;
        if (!product_[id.index()]) kept[root] = true;
      }
    }
    for (const ValueId id : program.results) kept[program[id].root.index()] = true;
    for (size_t i = 0; i < open_.size(); ++i) open_[i] = open_[i] && !kept[i];
  }

  void run() {
    std::vector<std::vector<OpId>> groups;  // chains that share products are one
    std::vector<double> least;
    std::vector<size_t> group_of(program_.ops.size(), kNowhere);
    for (size_t i = running_.size(); i-- > 0;) {  // the last product of a chain comes first
      const OpId id = running_[i];
      if (!product_[id.index()] || group_of[id.index()] != kNowhere) continue;
      const std::optional<Chain> chain = flatten(id);
      if (!chain || chain->ops.size() < 2) continue;
      size_t group = groups.size();
      for (const OpId op : chain->ops) group = std::min(group, group_of[op.index()]);
      if (group == groups.size()) {
        groups.emplace_back();
        least.push_back(0);
      }
      least[group] = std::max(least[group], needed(id, *chain));
      for (const OpId op : chain->ops) {
        if (group_of[op.index()] == kNowhere) groups[group].push_back(op);
        if (group_of[op.index()] == kNowhere) group_of[op.index()] = group;
      }
    }
    for (size_t i = 0; i < groups.size(); ++i) lower(groups[i], least[i]);
  }

 private:
  static constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

  std::optional<Contraction> contraction(OpId id) const {
    const auto kernel = program_[id].spec->lower(program_, program_[id]);
    const auto* out = kernel ? std::get_if<Contraction>(&*kernel) : nullptr;
    return out == nullptr ? std::nullopt : std::optional(*out);
  }

  // The product that makes the whole of a factor [L, rows, columns] and is read by products alone; true when
  // the factor is its transpose.
  std::optional<std::pair<OpId, bool>> maker(const View& factor, int64_t batch) const {
    const ValueId root = program_[factor.value].root;
    const OpId id = program_[root].def;
    if (!id || !product_[id.index()] || !open_[root.index()] || factor.offset != 0) return std::nullopt;
    const auto inner = contraction(id);
    if (!inner || inner->batch() != batch) return std::nullopt;
    const int64_t rows = factor.shape[1];
    const int64_t columns = factor.shape[2];
    const auto fits = [&](int64_t m, int64_t n, int64_t row_stride, int64_t column_stride) {
      return inner->m() == m && inner->n() == n && (m == 1 || row_stride == n) &&
             (n == 1 || column_stride == 1);
    };
    if (fits(rows, columns, factor.stride[1], factor.stride[2])) return std::pair(id, false);
    if (fits(columns, rows, factor.stride[2], factor.stride[1])) return std::pair(id, true);
    return std::nullopt;
  }

  // Appends a factor [rows, columns], whose rows are the last extent so far.
  void append(Chain& chain, const View& factor, bool transposed) const {
    const double columns = static_cast<double>(factor.shape[transposed ? 1 : 2]);
    const auto made = maker(factor, static_cast<int64_t>(chain.batch));
    std::optional<Chain> inner = made ? flatten(made->first) : std::nullopt;
    if (!inner || inner->leaves.size() + chain.leaves.size() > kMostLeaves) {
      const bool batched = factor.shape[0] > 1 && factor.stride[0] != 0;
      chain.leaves.push_back({program_[factor.value].params_only, batched});
      chain.extents.push_back(columns);
      return;
    }
    if (made->second != transposed) {
      std::ranges::reverse(inner->leaves);
      std::ranges::reverse(inner->extents);
    }
    chain.leaves.insert(chain.leaves.end(), inner->leaves.begin(), inner->leaves.end());
    chain.extents.insert(chain.extents.end(), inner->extents.begin() + 1, inner->extents.end());
    chain.ops.insert(chain.ops.end(), inner->ops.begin(), inner->ops.end());
  }

  // Once an operator: products of products that share factors are as many as paths to them.
  const std::optional<Chain>& flatten(OpId id) const {
    const auto known = flattened_.find(id.index());
    if (known != flattened_.end()) return known->second;
    return flattened_.emplace(id.index(), flattened(id)).first->second;
  }

  std::optional<Chain> flattened(OpId id) const {
    const auto product = contraction(id);
    if (!product) return std::nullopt;
    Chain out;
    out.batch = static_cast<double>(product->batch());
    out.extents.push_back(static_cast<double>(product->m()));
    append(out, product->a, false);
    append(out, product->b, true);  // [N, K], so its transpose follows
    out.ops.push_back(id);
    return out;
  }

  // The cheapest order for the rows and columns that are needed of the last product; a triangle of it has all
  // of them.
  double needed(OpId last, const Chain& chain) const {
    const double share = kept_by_structure(chain);
    const Need& need = needs_.need(program_[last].out[0]);
    if (need.whole) return share * cheapest(chain);
    double most = 0;
    for (const Part& part : need.parts) {
      const Part box = touched(part);
      const auto columns = static_cast<double>(box.box.back().count);
      double all = 1;
      for (const Part::Range& range : box.box) all *= static_cast<double>(range.count);
      if (all == 0) continue;
      double rows = all / columns;
      if (chain.batch > 1 && part.box.size() > 1)
        rows = static_cast<double>(box.box[box.box.size() - 2].count);
      Chain some = chain;
      some.extents.front() = rows;
      some.extents.back() = columns;
      some.batch = all / columns / rows;
      const double of_last = part.inside > 0 ? part.elements() / part.inside / all : 0;
      most = std::max(most, part.inside * cheapest(some, of_last));
    }
    return share * most;
  }

  // The rows and columns that a part touches.
  static Part touched(const Part& part) {
    Part out = part;
    if (part.triangle) {
      std::vector<int> along(part.box.size(), kAll);
      Shape shape;
      for (const Part::Range& range : part.box) shape.push_back(range.end());
      for (const size_t d : {part.triangle->row, part.triangle->column}) {
        along.assign(part.box.size(), kAll);
        along[d] = static_cast<int>(d);
        out.box[d] = projected(part, shape, along).box[d];
      }
      out.triangle.reset();
    }
    return out;
  }

  // What structure of the factors leaves at least in any order: a product of two triangles takes a sixth.
  double kept_by_structure(const Chain& chain) const {
    double out = 1;
    size_t count = 0;
    for (const OpId id : chain.ops) {
      out *= work_[id.index()].structured;
      if (work_[id.index()].structured < 1) ++count;
    }
    return count > 1 ? std::min(out, 1.0 / 6) : out;
  }

  void lower(const std::vector<OpId>& ops, double least) {
    double so_far = 0;
    for (const OpId id : ops) so_far += work_[id.index()].minimum_flops;
    if (least >= so_far) return;
    for (const OpId id : ops) {
      OpWork& each = work_[id.index()];
      each.minimum_flops *= least / so_far;
      each.least_flops = each.minimum_flops;
      each.reduced_by = &work_rules::kProductOrder;
    }
  }

  const Program& program_;
  const std::vector<OpId>& running_;
  const Needs& needs_;
  std::vector<OpWork>& work_;
  std::vector<bool> open_;     // one a value: products read its memory, and nothing else
  std::vector<bool> product_;  // one an operator
  mutable std::unordered_map<size_t, std::optional<Chain>> flattened_;
};

}  // namespace

void reorder_chains(const Program& program, const std::vector<OpId>& running, const Needs& needs,
                    std::vector<OpWork>& work) {
  Chains(program, running, needs, work).run();
}

}  // namespace uc::sol
