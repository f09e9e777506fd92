#include "sol/graph.h"

#include <algorithm>
#include <utility>

#include "catalog/op_spec.h"
#include "sol/regions.h"

namespace uc::sol {
namespace {

bool has(const Value& value, std::string_view word) {
  const auto among = [word](const std::vector<std::string>& words) {
    return std::ranges::find(words, word) != words.end();
  };
  return among(value.structure) || (value.observed && among(value.observed->structure));
}

// Sign, 8 bits of exponent and 10 of mantissa can be packed.
constexpr double kTf32Bytes = 19.0 / 8;

// Bytes an element of prepared params takes at least under a precision: f32 ones may be stored narrower.
double narrowest(DType type, Precision precision) {
  const auto bytes = static_cast<double>(size_bytes(type));
  if (type != DType::f32 && type != DType::f64) return bytes;
  switch (precision) {
    case Precision::f16:
    case Precision::bf16: return std::min(bytes, 2.0);
    case Precision::f8: return 1.0;
    case Precision::tf32: return std::min(bytes, kTf32Bytes);
    default: return bytes;
  }
}

bool in_memory(const Value& value) {
  return value.kind != ValueKind::literal && value.kind != ValueKind::scalar;
}

}  // namespace

std::vector<OpId> running_ops(const Program& program, bool constants) {
  std::vector<bool> needed(program.ops.size(), false);
  std::vector<ValueId> open = program.results;
  if (constants)
    std::erase_if(open, [&](ValueId id) { return program[id].observed && program[id].observed->constant; });
  while (!open.empty()) {
    const Value& value = program[open.back()];
    open.pop_back();
    if (!value.def || value.params_only || needed[value.def.index()]) continue;
    needed[value.def.index()] = true;
    const Op& op = program[value.def];
    open.insert(open.end(), op.in.begin(), op.in.end());
  }
  std::vector<OpId> out;
  for (const Step& step : program.steps) {
    for (const OpId id : ops_of(step)) {
      if (needed[id.index()] && !program[id].spec->is_view()) out.push_back(id);
    }
  }
  return out;
}

double information(const Value& value) {
  if (value.shape.size() < 2) return 1;
  const auto rows = static_cast<double>(value.shape[value.shape.size() - 2]);
  const auto columns = static_cast<double>(value.shape.back());
  if (rows != columns || rows == 0) return 1;
  if (has(value, "diag")) return 1 / rows;
  if (has(value, "lower") || has(value, "upper") || has(value, "symmetric")) return (rows + 1) / (2 * rows);
  return 1;
}

double carried(const Value& value, const Part& part) {
  if (information(value) == 1) return part.elements();
  const size_t row = value.shape.size() - 2;
  const size_t column = value.shape.size() - 1;
  const Part::Range rows = part.box[row];
  const Part::Range columns = part.box[column];
  const auto both = static_cast<double>(
      std::max<int64_t>(0, std::min(rows.end(), columns.end()) - std::max(rows.first, columns.first)));
  double matrices = 1;
  for (size_t d = 0; d < row; ++d) matrices *= static_cast<double>(part.box[d].count);
  if (has(value, "diag")) return part.inside < 1 || part.triangle ? 0 : both * matrices;
  if (has(value, "lower") || has(value, "upper")) {
    Part kept = part;
    kept.keep({row, column, 0, has(value, "upper")});
    return kept.elements();
  }
  const bool one_side = part.triangle && part.triangle->row == row && part.triangle->column == column &&
                        (part.triangle->upper ? part.triangle->diagonal >= 0 : part.triangle->diagonal <= 0);
  return std::max(0.0, part.elements() - (one_side ? 0 : both * (both - 1) / 2 * matrices));
}

Memory::Memory(const Program& program, const std::vector<OpId>& running, const Needs& needs)
    : program_(program), running_(running), needs_(needs) {
  std::vector<bool> made(program.values.size(), false);
  for (const OpId id : running) {
    for (const ValueId in : program[id].in) readers_[program[in].root.index()].emplace_back(id, in);
    for (const ValueId out : program[id].out) made[out.index()] = true;
  }
  for (const ValueId result : program.results) {
    const ValueId root = program[result].root;
    std::vector<ValueId>& views = returned_[root.index()];
    if (views.empty() && !made[root.index()]) elsewhere_.push_back(root);
    views.push_back(result);
  }
}

// What an operator reads of each of its operands.
void Memory::read(OpId id, Readings& into) const {
  const Op& op = program_[id];
  for (size_t i = 0; i < op.in.size(); ++i) {
    const Value& value = program_[op.in[i]];
    if (!in_memory(value)) continue;
    into.push_back({value.root, {id, i}});
  }
}

void Memory::collect_params(ValueId id, std::set<ValueId>& roots, std::set<ValueId>& seen) const {
  if (!seen.insert(id).second) return;
  const Value& value = program_[id];
  if (!value.def) {
    if (value.kind == ValueKind::param) roots.insert(value.root);
    return;
  }
  for (const ValueId in : program_[value.def].in) collect_params(in, roots, seen);
}

const std::set<ValueId>& Memory::params_of(ValueId root) const {
  const auto [found, added] = params_.try_emplace(root);
  if (added) {
    std::set<ValueId> seen;
    collect_params(root, found->second, seen);
  }
  return found->second;
}

void Memory::add(Readings readings, Access& to) const {
  std::ranges::stable_sort(readings, {}, &Reading::root);
  std::vector<Needs::Reader> readers;
  for (auto at = readings.begin(); at != readings.end();) {
    const ValueId root = at->root;
    const Value& value = program_[root];
    bool whole = false;
    readers.clear();
    for (; at != readings.end() && at->root == root; ++at) {
      whole |= !at->reader.op;
      readers.push_back(at->reader);
    }
    const double elements =
        whole ? distinct_elements(value) * information(value) : needs_.elements(root, readers);
    if (value.params_only) {
      to.prepared.push_back({root, elements});
    } else {
      to.given += elements * static_cast<double>(size_bytes(value.dtype));
    }
  }
}

// What others read of a value, and what is returned of it. It is written whole, zeros too.
// `inside` is sorted.
double Memory::written(ValueId made, const std::vector<OpId>& inside) const {
  std::vector<const Value*> seen;
  if (const auto found = readers_.find(made.index()); found != readers_.end()) {
    for (const auto& [reader, view] : found->second) {
      if (!std::ranges::binary_search(inside, reader)) seen.push_back(&program_[view]);
    }
  }
  if (const auto found = returned_.find(made.index()); found != returned_.end()) {
    for (const ValueId view : found->second) seen.push_back(&program_[view]);
  }
  const Value& root = program_[made];
  return seen.empty() ? 0 : distinct_elements(root, seen) * static_cast<double>(size_bytes(root.dtype));
}

void Memory::read_elsewhere(Readings& into) const {
  for (const ValueId root : elsewhere_) {
    const Value& value = program_[root];
    if (value.params_only && in_memory(value)) into.push_back({root, {}});
  }
}

double Memory::written_elsewhere() const {
  if (elsewhere_.empty()) return 0;
  std::vector<OpId> inside = running_;
  std::ranges::sort(inside);
  double bytes = 0;
  for (const ValueId root : elsewhere_) bytes += written(root, inside);
  return bytes;
}

Access Memory::of(const std::vector<OpId>& group) const {
  std::vector<OpId> inside = group;
  std::ranges::sort(inside);
  Readings readings;
  for (const OpId id : group) read(id, readings);
  std::erase_if(readings, [&](const Reading& reading) {
    const Value& root = program_[reading.root];
    return root.def && !root.params_only && std::ranges::binary_search(inside, root.def);
  });
  Access out;
  add(std::move(readings), out);
  for (const OpId id : group) {
    for (const ValueId made : program_[id].out) out.write += written(made, inside);
  }
  return out;
}

Access Memory::made_elsewhere() const {
  Access out;
  Readings readings;
  read_elsewhere(readings);
  add(std::move(readings), out);
  out.write = written_elsewhere();
  return out;
}

Access Memory::whole() const {
  Access out = of(running_);
  const Access rest = made_elsewhere();
  for (const Access::Prepared& each : rest.prepared) {
    const bool read =
        std::ranges::find(out.prepared, each.root, &Access::Prepared::root) != out.prepared.end();
    if (!read) out.prepared.push_back(each);
  }
  out.write += rest.write;
  return out;
}

// What is prepared from params is read as prepared, or as its params: whichever is less. A param that several
// roots are made of counts in equal parts, so the sum is a lower bound of every way to choose.
Traffic Memory::traffic(const Access& access, Precision precision) const {
  std::map<ValueId, double> users;
  for (const Access::Prepared& each : access.prepared) {
    for (const ValueId param : params_of(each.root)) users[param] += 1;
  }
  Traffic out{access.given, access.write};
  for (const Access::Prepared& each : access.prepared) {
    const Value& root = program_[each.root];
    const double stored = each.elements * narrowest(root.dtype, precision);
    double raw = 0;
    for (const ValueId param : params_of(each.root)) {
      const Value& value = program_[param];
      raw += distinct_elements(value) * information(value) * narrowest(value.dtype, precision) / users[param];
    }
    out.read += std::min(stored, raw);
  }
  return out;
}

}  // namespace uc::sol
