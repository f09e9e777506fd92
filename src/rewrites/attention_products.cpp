// Attention as the products that it is made of. Heads of many features are faster so: one kernel would read
// the keys again for each slice of the features, and hold few queries. Whether it is so, the cost model says.
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "rewrites/support/edit.h"

namespace uc::rewrites {
namespace {

// Softmax over all keys, every query head with keys and values of its own, heads before positions.
bool plain_attention(const Program& program, const Step& step) {
  if (!is_attention_step(program, step)) return false;
  const Op& op = program[step.main];
  if (op.in.size() != 3 || op.attrs.get_bool("causal", false) ||
      op.attrs.get_word("norm", "softmax") != "softmax" || op.attrs.get_word("layout", "bhsd") != "bhsd")
    return false;
  const Shape& q = program[op.in[0]].shape;
  const Shape& k = program[op.in[1]].shape;
  return q.size() == 4 && k.size() == 4 && q[1] == k[1];
}

std::vector<Site> find_products(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (!plain_attention(program, step)) continue;
    sites.push_back(
        {StepId(i), step.main, 0,
         fmt::format("two products around a softmax in `{}`", program[step.results.back()].name)});
  }
  return sites;
}

Program apply_products(const Program& program, const Site& site, const RewriteContext& context) {
  if (site.step.index() >= program.steps.size() || !plain_attention(program, program[site.step]))
    return program;
  Edit edit(context.catalog, program);
  Program& out = edit.program();
  const OpId main = out[site.step].main;
  const Op attention = out[main];
  const auto keys = edit.op("transpose", {attention.in[1]});
  if (!keys) return program;
  const std::vector<ValueId> products = edit.insert(site.step, "gemm", {attention.in[0], *keys}, {}, {"s"});
  if (products.empty()) return program;
  // The scale belongs to the product: what is stored is no larger than the scores.
  const auto features = static_cast<double>(out[attention.in[0]].shape.back());
  const double scale = attention.attrs.get_float("scale", 1.0 / std::sqrt(features));
  const auto scores = edit.op("mul", {products[0], edit.builder().literal(scale, false)});
  if (!scores) return program;
  Step& first = out[site.step];
  first.prologue.push_back(out[*keys].def);
  first.chain.push_back({{out[*scores].def}, false, {}});
  first.results.back() = *scores;
  std::swap(out[*scores].name, out[products[0]].name);
  Attrs over_keys;
  over_keys.set("dim", std::vector<int64_t>{3});
  const StepId after(site.step.index() + 1);
  const std::vector<ValueId> weights = edit.insert(after, "softmax", {*scores}, std::move(over_keys), {"p"});
  if (weights.empty()) return program;
  Op& second = out[main];
  second.spec = context.catalog.op("gemm");
  second.in = {weights[0], attention.in[2]};
  second.attrs = {};
  // Knobs of attention mean nothing to a product.
  out[StepId(site.step.index() + 2)].knobs.clear();
  edit.infer();
  return edit.finish(program);
}

constexpr RewriteSpec kRows[] = {
    {.id = "attention-as-products",
     .summary = "attention becomes two products around a softmax, as heads of many features need",
     .claim = Claim::algebraic,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 2,
     .find = find_products,
     .apply = apply_products},
};

}  // namespace

std::span<const RewriteSpec> attention_products_rows() { return kRows; }

}  // namespace uc::rewrites
