#pragma once
// Why: speed of light asks for the least work that a program's meaning takes, the optimizer for single steps
// on the way there. Both are the rows of the catalog that simplify (RewriteSpec::simplifies): a row is one
// rule at one operator (plan/simplifier.h), and this makes of it the sites and programs that rewrites have,
// or a whole program without any operator that some rule leaves less of.
//
// What `Holds::always` means: the results are equal in real arithmetic for all data for which the program as
// written computes finite numbers only. (0 * x is 0, x - x is 0.) Rules that hold for infinities and NaN too
// say so.
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "plan/simplifier.h"

namespace uc {

/// A rule that changed a program, and where.
struct Applied {
  const RewriteSpec* rule = nullptr;
  std::string where;  ///< "sum of `y`"
};

/// The program after every row that simplifies and whose `holds` is at most that, to a fixpoint; named
/// dimensions stand at their chosen sizes. `applied`: each rule that applied, once a place of the program as
/// written, in order; may be null. Steps of several operators are taken apart, so the program is for counting
/// work, not for running as it stands. What depends on params alone is marked (Value::params_only), whatever
/// its step's phase.
Program simplify(const Catalog& catalog, const Program& program, Holds at_most,
                 std::vector<Applied>* applied = nullptr);

std::vector<Site> simplification_sites(Simplifier::Rule rule, const Program& program,
                                       const RewriteContext& context);
Program simplified_at(Simplifier::Rule rule, const Program& program, const Site& site,
                      const RewriteContext& context);

/// RewriteSpec::find and ::apply of a rule.
template <Simplifier::Rule rule>
std::vector<Site> find_simplification(const Program& program, const RewriteContext& context) {
  return simplification_sites(rule, program, context);
}
template <Simplifier::Rule rule>
Program apply_simplification(const Program& program, const Site& site, const RewriteContext& context) {
  return simplified_at(rule, program, site, context);
}

/// "sum of `y`"
std::string where_of(const Program& program, OpId op);

}  // namespace uc
