#include "sol/graph.h"

#include <algorithm>

#include "catalog/op_spec.h"

namespace uc::sol {
namespace {

bool has(const Value& value, std::string_view word) {
  return std::ranges::find(value.structure, word) != value.structure.end();
}

// Share of elements that carry information, from declared structure of square matrices.
double information(const Value& value) {
  if (value.shape.size() < 2) return 1;
  const auto rows = static_cast<double>(value.shape[value.shape.size() - 2]);
  const auto columns = static_cast<double>(value.shape.back());
  if (rows != columns || rows == 0) return 1;
  if (has(value, "diag")) return 1 / rows;
  if (has(value, "lower") || has(value, "upper") || has(value, "symmetric")) return (rows + 1) / (2 * rows);
  return 1;
}

// Bytes an element of prepared params takes at least under a precision: f32 ones may be stored narrower.
double narrowest(DType type, Precision precision) {
  const auto bytes = static_cast<double>(size_bytes(type));
  if (type != DType::f32 && type != DType::f64) return bytes;
  switch (precision) {
    case Precision::f16:
    case Precision::bf16: return std::min(bytes, 2.0);
    case Precision::f8: return 1.0;
    default: return bytes;
  }
}

// Params that a params-only value is made of, by root.
void collect_params(const Program& program, ValueId id, std::set<ValueId>& roots) {
  const Value& value = program[id];
  if (!value.def) {
    if (value.kind == ValueKind::param) roots.insert(value.root);
    return;
  }
  for (const ValueId in : program[value.def].in) collect_params(program, in, roots);
}

}  // namespace

std::vector<OpId> running_ops(const Program& program) {
  std::vector<bool> needed(program.ops.size(), false);
  std::vector<ValueId> open = program.results;
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

double distinct_bytes(const Value& value) {
  double count = 1;
  for (size_t d = 0; d < value.shape.size(); ++d) {
    if (value.stride[d] != 0) count *= static_cast<double>(value.shape[d]);
  }
  return count * information(value) * static_cast<double>(size_bytes(value.dtype));
}

Memory::Memory(const Program& program, const std::vector<OpId>& running, Precision precision)
    : program_(program), running_(running), precision_(precision) {
  for (const OpId id : running) {
    for (const ValueId in : program[id].in) readers_[program[in].root].insert(id);
  }
  for (const ValueId result : program.results) returned_.insert(program[result].root);
}

// Roots that a group reads and does not make, with the most that one operator reads of each.
std::map<ValueId, double> Memory::sources(const std::vector<OpId>& group) const {
  std::map<ValueId, double> out;
  for (const OpId id : group) {
    for (const ValueId in : program_[id].in) {
      const Value& value = program_[in];
      if (value.kind == ValueKind::literal || value.kind == ValueKind::scalar) continue;
      const OpId maker = program_[value.root].def;
      if (maker && !value.params_only && std::ranges::find(group, maker) != group.end()) continue;
      double& bytes = out[value.root];
      bytes = std::max(bytes, distinct_bytes(value));
    }
  }
  return out;
}

double Memory::stored_bytes(ValueId id) const {
  const Value& value = program_[id];
  return distinct_bytes(value) / static_cast<double>(size_bytes(value.dtype)) *
         narrowest(value.dtype, precision_);
}

// What is prepared from params is read as prepared, or as its params: whichever is less.
double Memory::source_bytes(const std::map<ValueId, double>& roots) const {
  double other = 0;
  double prepared = 0;
  std::set<ValueId> params;
  for (const auto& [root, bytes] : roots) {
    const Value& value = program_[root];
    if (!value.params_only) {
      other += bytes;
      continue;
    }
    const auto width = static_cast<double>(size_bytes(value.dtype));
    prepared += bytes / width * narrowest(value.dtype, precision_);
    collect_params(program_, root, params);
  }
  double raw = 0;
  for (const ValueId root : params) raw += stored_bytes(root);
  return other + std::min(prepared, raw);
}

Traffic Memory::traffic(const std::vector<OpId>& group) const {
  Traffic out;
  out.read = source_bytes(sources(group));
  std::set<ValueId> written;
  for (const OpId id : group) {
    for (const ValueId value : program_[id].out) {
      const ValueId root = program_[value].root;
      if (written.contains(root)) continue;
      const auto found = readers_.find(root);
      const bool read_outside =
          found != readers_.end() && std::ranges::any_of(found->second, [&](OpId reader) {
            return std::ranges::find(group, reader) == group.end();
          });
      if (!read_outside && !returned_.contains(root)) continue;
      written.insert(root);
      out.write += distinct_bytes(program_[root]);
    }
  }
  return out;
}

Traffic Memory::whole() const { return traffic(running_); }

}  // namespace uc::sol
