#pragma once
// Why: what an operator row may ask and do when it imports a captured operator. One captured operator becomes
// one step (plus views); the importer owns naming and steps.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attrs.h"
#include "ir/program.h"

namespace uc {

struct GraphOp;

class ImportContext {
 public:
  virtual ~ImportContext() = default;
  /// The captured op's argument `index` (or keyword) as a value: a tensor, or a number as a literal. None
  /// when absent.
  virtual std::optional<ValueId> value(const GraphOp& op, size_t index) = 0;
  /// A list of tensors and numbers as values; none when an element is absent or has no value.
  virtual std::optional<std::vector<ValueId>> values(const GraphOp& op, size_t index) = 0;
  virtual std::optional<int64_t> integer(const GraphOp& op, size_t index, std::string_view keyword) = 0;
  virtual std::optional<double> number(const GraphOp& op, size_t index, std::string_view keyword) = 0;
  virtual std::optional<std::string> word(const GraphOp& op, size_t index, std::string_view keyword) = 0;
  virtual std::optional<std::vector<int64_t>> integers(const GraphOp& op, size_t index,
                                                       std::string_view keyword) = 0;
  virtual std::optional<DType> dtype(const GraphOp& op, size_t index, std::string_view keyword) = 0;
  /// A number that the row itself brings ("alpha * other"), written as an integer or not.
  virtual ValueId literal(double value, bool is_int) = 0;
  /// Appends one step `result = name(in...)` with attributes and returns its value; none after an error.
  virtual std::optional<ValueId> apply(std::string_view op_name, std::vector<ValueId> in,
                                       Attrs attrs = {}) = 0;
  /// The same of an operator with several results, all of which one step makes; empty after an error.
  virtual std::vector<ValueId> apply_all(std::string_view op_name, std::vector<ValueId> in,
                                         Attrs attrs = {}) = 0;
  /// Appends an operator that stands inside the parentheses of the step that the next `apply` makes, and
  /// returns its value; none after an error.
  virtual std::optional<ValueId> inside(std::string_view op_name, std::vector<ValueId> in,
                                        Attrs attrs = {}) = 0;
  /// Says which value the captured op's output `index` is.
  virtual void result(const GraphOp& op, size_t index, ValueId value) = 0;
  virtual const Program& program() const = 0;
  /// The program is for bounds alone and never runs: rows may give what has work and no meaning here (random
  /// numbers).
  virtual bool bounds_only() const { return false; }
};

}  // namespace uc
