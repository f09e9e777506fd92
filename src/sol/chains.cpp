#include "sol/chains.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "catalog/op_spec.h"

namespace uc::sol {
namespace {

/// Matrix i of a chain is extents[i] x extents[i + 1].
struct Chain {
  struct Leaf {
    bool prepared;  ///< of params alone
    bool batched;   ///< another one for each of the batch
  };
  std::vector<Leaf> leaves;
  std::vector<double> extents;
  std::vector<OpId> ops;
  double batch = 1;
};

class Chains {
 public:
  Chains(const Program& program, const std::vector<OpId>& running, std::vector<OpWork>& work)
      : program_(program), work_(work), uses_(program.values.size(), 0), product_(program.ops.size(), false) {
    for (const OpId id : running) {
      for (const ValueId in : program[id].in) ++uses_[program[in].root.index()];
      product_[id.index()] = work[id.index()].contracts && program[id].spec->lower != nullptr;
    }
    for (const ValueId id : program.results) uses_[program[id].root.index()] += 2;
  }

  void run(const std::vector<OpId>& running) {
    std::vector<bool> done(program_.ops.size(), false);
    for (size_t i = running.size(); i-- > 0;) {  // the last product of a chain comes first
      const OpId id = running[i];
      if (!product_[id.index()] || done[id.index()]) continue;
      const auto chain = flatten(id);
      if (!chain || chain->ops.size() < 2) continue;
      for (const OpId op : chain->ops) done[op.index()] = true;
      lower(*chain);
    }
  }

 private:
  std::optional<Contraction> contraction(OpId id) const {
    const auto kernel = program_[id].spec->lower(program_, program_[id]);
    const auto* out = kernel ? std::get_if<Contraction>(&*kernel) : nullptr;
    return out == nullptr ? std::nullopt : std::optional(*out);
  }

  // The product that makes the whole of a factor [L, rows, columns] and is read by nobody else; true when the
  // factor is its transpose.
  std::optional<std::pair<OpId, bool>> maker(const View& factor, int64_t batch) const {
    const ValueId root = program_[factor.value].root;
    const OpId id = program_[root].def;
    if (!id || !product_[id.index()] || uses_[root.index()] != 1 || factor.offset != 0) return std::nullopt;
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
    auto inner = made ? flatten(made->first) : std::nullopt;
    if (!inner) {
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

  std::optional<Chain> flatten(OpId id) const {
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

  static double cheapest(const Chain& chain) {
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
        for (size_t k = i; k < j; ++k) {
          best = std::min(best, cost[i][k] + cost[k + 1][j] +
                                    2 * (batched ? chain.batch : 1) * chain.extents[i] *
                                        chain.extents[k + 1] * chain.extents[j + 1]);
        }
        cost[i][j] = best;
      }
    }
    return cost[0][n - 1];
  }

  void lower(const Chain& chain) {
    double so_far = 0;
    for (const OpId id : chain.ops) so_far += work_[id.index()].minimum_flops;
    const double least = cheapest(chain);
    if (least >= so_far) return;
    for (const OpId id : chain.ops) {
      OpWork& each = work_[id.index()];
      each.minimum_flops *= least / so_far;
      each.least_flops = each.minimum_flops;
      each.reduced_by = &work_rules::kContractionOrder;
    }
  }

  const Program& program_;
  std::vector<OpWork>& work_;
  std::vector<size_t> uses_;   // one a value: how many operands its memory is
  std::vector<bool> product_;  // one an operator
};

}  // namespace

void reorder_chains(const Program& program, const std::vector<OpId>& running, std::vector<OpWork>& work) {
  Chains(program, running, work).run(running);
}

}  // namespace uc::sol
