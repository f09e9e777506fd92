#include "sol/variants.h"

#include <utility>

#include "plan/simplify.h"

namespace uc::sol {
namespace {

// Null when no rule applies: the bound of what it started from holds already.
std::unique_ptr<Bound> simplified(const Catalog& catalog, const Program& program, Holds at_most) {
  std::vector<Applied> applied;
  Program least = simplify(catalog, program, at_most, &applied);
  if (applied.empty()) return nullptr;
  std::vector<SolRule> rules;
  for (Applied& each : applied)
    rules.push_back({each.rule->id, std::move(each.where), each.rule->holds, each.rule->justification});
  return std::make_unique<Bound>(catalog, std::move(least), std::move(rules));
}

}  // namespace

Variants::Variants(const Catalog& catalog, const Program& program)
    : written_(std::make_unique<Bound>(catalog, without_observed(program))),
      always_(simplified(catalog, written_->program(), Holds::always)) {
  if (always_) written_->supersede();
  if (!has_observed(program)) return;
  seen_ = std::make_unique<Bound>(catalog, program);
  observed_ = simplified(catalog, program, Holds::observed);
  if (observed_) seen_->supersede();
}

std::vector<const Bound*> Variants::promised() const {
  std::vector<const Bound*> out{written_.get()};
  if (always_) out.push_back(always_.get());
  return out;
}

std::vector<const Bound*> Variants::all() const {
  std::vector<const Bound*> out = promised();
  if (seen_) out.push_back(seen_.get());
  if (observed_) out.push_back(observed_.get());
  return out;
}

}  // namespace uc::sol
