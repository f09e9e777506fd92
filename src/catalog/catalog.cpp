#include "catalog/catalog.h"

#include "base/text.h"

namespace uc {
namespace {

template <class Row>
void append(std::vector<const Row*>& to, std::span<const Row> rows) {
  for (const Row& row : rows) to.push_back(&row);
}

template <class Row, class Key>
const Row* find(const std::vector<const Row*>& rows, Key Row::* field, std::string_view key) {
  for (const Row* row : rows) {
    if (row->*field == key) return row;
  }
  return nullptr;
}

}  // namespace

bool applies(const KnobSpec& knob, const OpSpec& main) {
  for (const std::string_view family : split(knob.families, ' ')) {
    if (family == main.family || (family == "pointwise" && main.is_pointwise())) return true;
  }
  return false;
}

void Catalog::add(std::span<const OpSpec> rows) { append(ops_, rows); }
void Catalog::add(std::span<const ScalarFn> rows) { append(scalars_, rows); }
void Catalog::add(std::span<const KnobSpec> rows) { append(knobs_, rows); }
void Catalog::add(std::span<const BackendSpec> rows) { append(backends_, rows); }
void Catalog::add(std::span<const RuleSpec> rows) { append(rules_, rows); }
void Catalog::add(std::span<const RewriteSpec> rows) { append(rewrites_, rows); }
void Catalog::add(std::span<const DeviceSpec> rows) { append(devices_, rows); }

const OpSpec* Catalog::op(std::string_view name) const { return find(ops_, &OpSpec::name, name); }
const ScalarFn* Catalog::scalar(std::string_view name) const { return find(scalars_, &ScalarFn::name, name); }
const KnobSpec* Catalog::knob(std::string_view name) const { return find(knobs_, &KnobSpec::name, name); }

const KnobSpec* Catalog::knob(std::string_view name, const OpSpec& main) const {
  for (const KnobSpec* row : knobs_) {
    if (row->name == name && applies(*row, main)) return row;
  }
  return knob(name);
}
const RuleSpec* Catalog::rule(std::string_view id) const { return find(rules_, &RuleSpec::id, id); }
const DeviceSpec* Catalog::device(std::string_view name) const {
  return find(devices_, &DeviceSpec::name, name);
}

const OpSpec* Catalog::op_with_infix(std::string_view infix, size_t operands) const {
  for (const OpSpec* row : ops_) {
    if (row->infix == infix && row->params.size() == operands) return row;
  }
  return nullptr;
}

const DeviceSpec* Catalog::device_of_target(std::string_view target) const {
  return find(devices_, &DeviceSpec::arch, target);
}

bool Catalog::emits_for(const DeviceSpec& device) const {
  for (const BackendSpec* row : backends_) {
    for (const std::string_view arch : split(row->archs, ' ')) {
      if (arch == device.arch) return true;
    }
  }
  return false;
}

const AtenImport* Catalog::aten(std::string_view target) const {
  for (const OpSpec* row : ops_) {
    for (const AtenImport& form : row->aten) {
      if (form.target == target) return &form;
    }
  }
  return nullptr;
}

}  // namespace uc
