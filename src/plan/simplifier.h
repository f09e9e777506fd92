#pragma once
// Why: rules that leave less work are tried at every operator of networks of a thousand, for speed of light
// within a millisecond or two. So they change one program in place: who reads what is counted once, a value
// that is replaced dies with what it alone needed, and nothing is printed, parsed or copied on the way.
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/program_builder.h"
#include "catalog/rewrite_spec.h"
#include "ir/program.h"

namespace uc {

/// What the elements of a tensor can be: low <= x <= high, for finite data.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// A rule looks at `op` and gives the value that its one result can be replaced by: of the same type and
/// shape, made of operators appended by `Simplifier::op` or there before. The result itself means: nobody
/// reads it. Nothing: the rule does not apply.
class Simplifier {
 public:
  using Rule = std::optional<ValueId> (*)(Simplifier&, OpId);

  Simplifier(const Catalog& catalog, Program program);

  // ---- what rules ask. References stay valid while a rule runs: room for what it appends is made before.
  const Catalog& catalog() const { return catalog_; }
  const Program& program() const { return program_; }
  const Value& operator[](ValueId id) const { return program_[id]; }
  const Op& operator[](OpId id) const { return program_[id]; }
  /// The operator that makes the value, with that name; of a step that holds nothing else, no knobs either.
  /// None otherwise.
  OpId maker(ValueId id) const;
  OpId maker(ValueId id, std::string_view name) const;
  /// How many operands and results of the program the value is.
  size_t uses(ValueId id) const { return uses_[id.index()]; }
  bool read_once(ValueId id) const { return uses(id) == 1; }
  /// Where `range_of` keeps what it found, one entry a value (rewrites/support/range.h).
  std::optional<Range>& range(ValueId id) { return ranges_[id.index()]; }
  /// Where the operator stands: of two, the one with the smaller place runs first.
  size_t place(OpId id) const { return places_[program_[id].step.index()]; }
  /// An operator before it that does the same to the same operands, or none.
  OpId twin(OpId id) const;

  // ---- what rules make
  /// Nothing where it may not stand, or more of them than a rule has room for.
  std::optional<ValueId> op(std::string_view name, std::vector<ValueId> in, Attrs attrs = {});
  ValueId literal(double number);

  // ---- engines
  /// The steps where a rule may be tried: one operator with one result, in every call, without knobs.
  bool open(StepId step) const;
  const std::vector<StepId>& order() const { return order_; }
  /// Operators of the step can be found as twins from now on: steps are entered in order.
  void enter(StepId step);
  /// True when the rule applies; nothing is changed.
  bool probe(Rule rule, StepId step);
  /// Applies the rule at one step; false when it does not apply.
  bool apply(Rule rule, StepId step);
  /// Steps with several operators become one step an operator, where all of them can stand alone. Knobs go.
  void unfuse();
  /// Tries rules in order at every step, and again where what it reads changed; `seen(rule, where)` of each
  /// that applied. Rules that look farther may apply afterwards.
  void exhaust(std::span<const Rule> rules, const std::function<void(size_t, std::string)>& seen);
  /// The program as it is now (it may hold values and operators that no step has any more), with the results
  /// that it returns now.
  Program take() &&;

 private:
  struct Mark {
    size_t ops, values;
  };
  Mark mark() const { return {program_.ops.size(), program_.values.size()}; }
  void roll_back(Mark to);
  void make_room();
  void count_uses();
  void resolve(StepId step);
  ValueId alias(ValueId id) const;
  std::optional<ValueId> match(Rule rule, StepId step);
  std::vector<StepId> commit(Mark from, StepId anchor, ValueId instead);
  StepId append(OpId op);
  void release(ValueId id);
  void kill(StepId step);
  void grow();
  bool pass(std::span<const Rule> rules, const std::function<void(size_t, std::string)>& seen);
  void number_places();
  uint64_t key(OpId id) const;
  std::string place_of(StepId step) const;

  const Catalog& catalog_;
  Program program_;
  DiagSink diags_;
  ProgramBuilder builder_;
  std::vector<StepId> order_;
  std::vector<size_t> places_;  // one a step
  std::vector<size_t> uses_;    // one a value
  std::vector<bool> dead_;      // one a step
  std::vector<bool> touched_;   // one a step: what it reads changed since rules were tried at it
  std::vector<bool> eased_;     // one a value: all readers but one died
  std::vector<ValueId> alias_;  // one a value: what it was replaced by, or itself
  std::vector<std::optional<Range>> ranges_;
  std::unordered_multimap<uint64_t, OpId> entered_;
  std::unordered_map<StepId, std::string> origins_;  // of steps that rules made
};

}  // namespace uc
