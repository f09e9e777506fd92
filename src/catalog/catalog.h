#pragma once
// Why: everything that is a row, in one value. Engines take `const Catalog&` and never include rows.
#include <span>
#include <string_view>
#include <vector>

#include "catalog/backend_spec.h"
#include "catalog/device_spec.h"
#include "catalog/knob_spec.h"
#include "catalog/op_spec.h"
#include "catalog/rewrite_spec.h"
#include "catalog/rule_spec.h"
#include "catalog/scalar_fn.h"

namespace uc {

class Catalog {
 public:
  void add(std::span<const OpSpec> rows);
  void add(std::span<const ScalarFn> rows);
  void add(std::span<const KnobSpec> rows);
  void add(std::span<const BackendSpec> rows);
  void add(std::span<const RuleSpec> rows);
  void add(std::span<const RewriteSpec> rows);
  void add(std::span<const DeviceSpec> rows);

  const OpSpec* op(std::string_view name) const;
  /// The row printed as `infix` with that many operands ("-" has a form with one and one with two).
  const OpSpec* op_with_infix(std::string_view infix, size_t operands) const;
  const ScalarFn* scalar(std::string_view name) const;
  const KnobSpec* knob(std::string_view name) const;
  /// The row of that name for steps of `main`, else the first of that name: `vector` of a reduction has
  /// another range than that of a pointwise launch.
  const KnobSpec* knob(std::string_view name, const OpSpec& main) const;
  const RuleSpec* rule(std::string_view id) const;
  const DeviceSpec* device(std::string_view name) const;
  /// The device that stands for a target when none is named: the first row of that arch.
  const DeviceSpec* device_of_target(std::string_view target) const;
  /// Whether some back end makes kernels for the device; otherwise it has bounds alone.
  bool emits_for(const DeviceSpec& device) const;
  const AtenImport* aten(std::string_view target) const;

  std::span<const OpSpec* const> ops() const { return ops_; }
  std::span<const ScalarFn* const> scalars() const { return scalars_; }
  std::span<const KnobSpec* const> knobs() const { return knobs_; }
  std::span<const BackendSpec* const> backends() const { return backends_; }
  std::span<const RuleSpec* const> rules() const { return rules_; }
  std::span<const RewriteSpec* const> rewrites() const { return rewrites_; }
  std::span<const DeviceSpec* const> devices() const { return devices_; }

 private:
  std::vector<const OpSpec*> ops_;
  std::vector<const ScalarFn*> scalars_;
  std::vector<const KnobSpec*> knobs_;
  std::vector<const BackendSpec*> backends_;
  std::vector<const RuleSpec*> rules_;
  std::vector<const RewriteSpec*> rewrites_;
  std::vector<const DeviceSpec*> devices_;
};

}  // namespace uc
