#include "agent/shrink.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <vector>

#include "catalog/program_builder.h"
#include "ir/layout.h"

namespace uc {
namespace {

constexpr size_t kMostTries = 256;
constexpr int64_t kLeastCount = 64;  // sizes from here on are looked for in numbers as their reciprocals too

/// What each size of the problem became, and each number in its expressions that is another one there.
struct Relation {
  std::map<int64_t, std::set<int64_t>> sizes;
  std::map<double, std::set<double>> numbers;
};

void relate(Relation& to, const std::vector<int64_t>& full, const std::vector<int64_t>& reduced) {
  if (full.size() != reduced.size()) return;
  for (size_t i = 0; i < full.size(); ++i) to.sizes[full[i]].insert(reduced[i]);
}

std::vector<int64_t> integers_of(const AttrValue& value) {
  if (const auto* one = std::get_if<int64_t>(&value)) return {*one};
  if (const auto* several = std::get_if<std::vector<int64_t>>(&value)) return *several;
  return {};
}

Relation relation(const Program& full, const Program& reduced) {
  Relation out;
  for (size_t i = 0; i < std::min(full.values.size(), reduced.values.size()); ++i) {
    relate(out, full.values[i].shape, reduced.values[i].shape);
    if (full.values[i].kind == ValueKind::literal)
      out.numbers[full.values[i].literal].insert(reduced.values[i].literal);
  }
  for (size_t i = 0; i < std::min(full.ops.size(), reduced.ops.size()); ++i) {
    const Attrs& theirs = reduced.ops[i].attrs;
    for (const auto& [key, value] : full.ops[i].attrs.entries()) {
      const AttrValue* other = theirs.find(key);
      if (other == nullptr) continue;
      relate(out, integers_of(value), integers_of(*other));
      if (const auto* number = std::get_if<double>(&value))
        out.numbers[*number].insert(theirs.get_float(key, *number));
    }
  }
  return out;
}

// What a number became: as in the problem's own expressions, or as one over a size of it.
double number_at(const Relation& relation, double number) {
  const auto known = relation.numbers.find(number);
  if (known != relation.numbers.end()) return known->second.size() == 1 ? *known->second.begin() : number;
  for (const auto& [full, reduced] : relation.sizes) {
    if (full < kLeastCount || reduced.size() != 1) continue;
    if (number == static_cast<double>(full)) return static_cast<double>(*reduced.begin());
    if (number == 1 / static_cast<double>(full)) return 1 / static_cast<double>(*reduced.begin());
  }
  return number;
}

bool has_integers(const Op& op) {
  return std::ranges::any_of(op.attrs.entries(),
                             [](const auto& each) { return !integers_of(each.second).empty(); });
}

/// One thing that may be read in several ways, the most likely first: an operator that the problem has too,
/// or a number in the attributes of others.
struct Choice {
  std::vector<size_t> ops;          ///< where it stands
  std::vector<const Attrs*> attrs;  ///< an operator's: what it may become
  int64_t number = 0;               ///< a number
  std::vector<int64_t> numbers;     ///< what it may become
  size_t count() const { return attrs.empty() ? numbers.size() : attrs.size(); }
};

// The problem's operators that are the same as this one at full size.
std::vector<const Attrs*> counterparts(const Op& op, const Program& full, const Program& reduced) {
  std::vector<const Attrs*> out;
  for (size_t i = 0; i < std::min(full.ops.size(), reduced.ops.size()); ++i) {
    if (full.ops[i].spec != op.spec || !(full.ops[i].attrs == op.attrs)) continue;
    const Attrs* next = &reduced.ops[i].attrs;
    if (std::ranges::none_of(out, [&](const Attrs* each) { return *each == *next; })) out.push_back(next);
  }
  return out;
}

std::vector<Choice> choices(const Program& program, const Program& full, const Program& reduced,
                            const Relation& relation) {
  std::vector<Choice> out;
  std::map<int64_t, std::vector<size_t>> numbers;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!has_integers(op)) continue;
    if (auto same = counterparts(op, full, reduced); !same.empty()) {
      out.push_back({{i}, std::move(same), 0, {}});
      continue;
    }
    for (const auto& [key, value] : op.attrs.entries()) {
      for (const int64_t number : integers_of(value)) numbers[number].push_back(i);
    }
  }
  for (auto& [number, ops] : numbers) {
    const auto known = relation.sizes.find(number);
    if (known == relation.sizes.end()) continue;
    Choice choice{std::move(ops), {}, number, {known->second.begin(), known->second.end()}};
    if (!known->second.contains(number)) choice.numbers.push_back(number);
    out.push_back(std::move(choice));
  }
  return out;
}

void declare(Program& program, const Program& reduced, const std::vector<ValueId>& theirs) {
  for (const ValueId id : theirs) {
    const Value& wanted = reduced[id];
    const auto ours = std::ranges::find_if(program.values, [&](const Value& each) {
      return each.kind == wanted.kind && each.name == wanted.name;
    });
    if (ours == program.values.end()) continue;
    const std::string_view layout = layout_of(ours->shape, ours->stride);
    ours->shape = wanted.shape;
    ours->stride =
        layout_strides(layout.empty() ? "row" : layout, wanted.shape).value_or(row_major(wanted.shape));
  }
}

void substitute_numbers(Program& program, const Relation& relation) {
  for (Value& value : program.values) {
    if (value.kind == ValueKind::literal) value.literal = number_at(relation, value.literal);
  }
  for (Op& op : program.ops) {
    const Attrs old = op.attrs;
    for (const auto& [key, value] : old.entries()) {
      if (const auto* number = std::get_if<double>(&value)) op.attrs.set(key, number_at(relation, *number));
    }
  }
}

// Substitutions of numbers are made on the text's own numbers, so that none is replaced twice.
void take(Program& to, const Program& from, const std::vector<Choice>& open, const std::vector<size_t>& at) {
  std::map<size_t, std::map<int64_t, int64_t>> numbers;
  for (size_t i = 0; i < open.size(); ++i) {
    const Choice& choice = open[i];
    for (const size_t op : choice.ops) {
      if (!choice.attrs.empty()) {
        to.ops[op].attrs = *choice.attrs[at[i]];
      } else {
        numbers[op][choice.number] = choice.numbers[at[i]];
      }
    }
  }
  for (const auto& [op, changes] : numbers) {
    Attrs next = from.ops[op].attrs;
    for (const auto& [key, value] : from.ops[op].attrs.entries()) {
      std::vector<int64_t> values = integers_of(value);
      if (values.empty()) continue;
      for (int64_t& each : values) {
        const auto found = changes.find(each);
        if (found != changes.end()) each = found->second;
      }
      if (std::holds_alternative<int64_t>(value)) {
        next.set(key, values[0]);
      } else {
        next.set(key, std::move(values));
      }
    }
    to.ops[op].attrs = std::move(next);
  }
}

bool same_results(const Program& a, const Program& b) {
  return std::ranges::equal(a.results, b.results,
                            [&](ValueId x, ValueId y) { return a[x].shape == b[y].shape; });
}

// A size above 1 that is the same at both sizes although every size of the problem changes.
int64_t unmoved_size(const Program& program, const Program& shrunk, const Relation& relation) {
  const auto& sizes = relation.sizes;
  for (size_t i = 0; i < program.values.size(); ++i) {
    const Shape& full = program.values[i].shape;
    const Shape& less = shrunk.values[i].shape;
    for (size_t d = 0; d < std::min(full.size(), less.size()); ++d) {
      const auto known = sizes.find(full[d]);
      const bool may_stay = known != sizes.end() && known->second.contains(full[d]);
      if (full[d] > 1 && full[d] == less[d] && !may_stay) return full[d];
    }
  }
  return 0;
}

}  // namespace

Shrunk shrink(const Catalog& catalog, const Program& program, const Program& full, const Program& reduced) {
  const Relation known = relation(full, reduced);
  Program declared = program;
  declare(declared, reduced, reduced.inputs);
  declare(declared, reduced, reduced.params);
  substitute_numbers(declared, known);
  const std::vector<Choice> open = choices(program, full, reduced, known);
  std::vector<size_t> at(open.size(), 0);
  int64_t unmoved = 0;
  for (size_t tries = 0; tries < kMostTries; ++tries) {
    Program next = declared;
    take(next, declared, open, at);
    DiagSink diags;
    reinfer(catalog, next, diags);
    if (!diags.has_errors() && same_results(next, reduced)) {
      unmoved = unmoved_size(program, next, known);
      if (unmoved == 0) return {std::move(next), {}};
    }
    size_t digit = 0;
    while (digit < open.size() && ++at[digit] == open[digit].count()) at[digit++] = 0;
    if (digit == open.size()) break;
  }
  if (unmoved != 0)
    return {std::nullopt,
            fmt::format("the size {} would be the same at the recorded sizes, which cannot tell a "
                        "part from the whole",
                        unmoved)};
  return {std::nullopt, "its sizes have no counterpart at the recorded sizes"};
}

}  // namespace uc
