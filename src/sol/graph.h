#pragma once
// Why: bounds count operators that run, and bytes by whose memory they are in; both are facts of the graph,
// not of the steps that it was written in.
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "sol/needs.h"

namespace uc::sol {

/// Operators that run in every call and that some result needs, in order. Views and what depends on params
/// alone (it can be prepared when they are loaded) are left out.
/// `constants`: nor what only results need that were observed to be constant.
std::vector<OpId> running_ops(const Program& program, bool constants = false);

/// Share of a tensor's elements that carry information: what its structure, declared or observed, makes zero
/// or equal to others need not be read.
double information(const Value& value);

/// Elements of a part of a tensor that carry information: of its part inside a triangle, and of equal ones
/// one.
double carried(const Value& value, const Part& part);

struct Traffic {
  double read = 0;
  double write = 0;
};

/// What a group of operators reads from outside and writes for outside, before it is known how narrow
/// prepared params may be stored.
struct Access {
  struct Prepared {
    ValueId root;  ///< depends on params alone
    double elements;
  };
  double given = 0;  ///< bytes read of inputs and of what others computed
  std::vector<Prepared> prepared;
  double write = 0;  ///< bytes
};

/// Memory of each root that operators name, as the union of their views: each element once.
class Memory {
 public:
  /// All must outlive it. Results that no running operator makes (constants, prepared ones) are written all
  /// the same.
  Memory(const Program& program, const std::vector<OpId>& running, const Needs& needs);

  /// Of all running operators: what one kernel reads of inputs and params, and each result.
  Access whole() const;
  Access of(const std::vector<OpId>& group) const;
  /// Results that no running operator makes.
  Access made_elsewhere() const;
  /// Prepared f32 params are stored as narrow as `precision` lets them.
  Traffic traffic(const Access& access, Precision precision) const;

 private:
  struct Reading {
    ValueId root;
    Needs::Reader reader;  ///< no operator: the root is read whole
  };
  using Readings = std::vector<Reading>;

  void read(OpId id, Readings& into) const;
  void read_elsewhere(Readings& into) const;
  void add(Readings readings, Access& to) const;
  double written(ValueId made, const std::vector<OpId>& inside) const;
  double written_elsewhere() const;
  const std::set<ValueId>& params_of(ValueId root) const;
  void collect_params(ValueId id, std::set<ValueId>& roots, std::set<ValueId>& seen) const;

  const Program& program_;
  const std::vector<OpId>& running_;
  const Needs& needs_;
  std::unordered_map<size_t, std::vector<std::pair<OpId, ValueId>>> readers_;  // of each root: who, and what
  std::unordered_map<size_t, std::vector<ValueId>> returned_;                  // of each root: the results
  std::vector<ValueId> elsewhere_;  // roots of results that no running operator makes
  mutable std::map<ValueId, std::set<ValueId>> params_;
};

}  // namespace uc::sol
