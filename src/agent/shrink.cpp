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

/// What each size of the problem became.
using Sizes = std::map<int64_t, std::set<int64_t>>;

void relate(Sizes& sizes, const std::vector<int64_t>& full, const std::vector<int64_t>& reduced) {
  if (full.size() != reduced.size()) return;
  for (size_t i = 0; i < full.size(); ++i) sizes[full[i]].insert(reduced[i]);
}

std::vector<int64_t> integers_of(const AttrValue& value) {
  if (const auto* one = std::get_if<int64_t>(&value)) return {*one};
  if (const auto* several = std::get_if<std::vector<int64_t>>(&value)) return *several;
  return {};
}

Sizes relation(const Program& full, const Program& reduced) {
  Sizes out;
  for (size_t i = 0; i < std::min(full.values.size(), reduced.values.size()); ++i)
    relate(out, full.values[i].shape, reduced.values[i].shape);
  for (size_t i = 0; i < std::min(full.ops.size(), reduced.ops.size()); ++i) {
    const auto& theirs = reduced.ops[i].attrs;
    for (const auto& [key, value] : full.ops[i].attrs.entries()) {
      if (const AttrValue* other = theirs.find(key)) relate(out, integers_of(value), integers_of(*other));
    }
  }
  return out;
}

/// A number in an attribute, and what it may become: most likely first.
struct Choice {
  int64_t number = 0;
  std::vector<int64_t> options;
};

std::vector<Choice> choices(const Program& program, const Sizes& sizes) {
  std::set<int64_t> numbers;
  for (const Op& op : program.ops) {
    for (const auto& [key, value] : op.attrs.entries()) {
      for (const int64_t number : integers_of(value)) numbers.insert(number);
    }
  }
  std::vector<Choice> out;
  for (const int64_t number : numbers) {
    const auto known = sizes.find(number);
    if (known == sizes.end()) continue;
    Choice choice{number, {known->second.begin(), known->second.end()}};
    if (!known->second.contains(number)) choice.options.push_back(number);
    if (choice.options.size() > 1 || choice.options.front() != number) out.push_back(std::move(choice));
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

void substitute(Attrs& attrs, const std::map<int64_t, int64_t>& numbers) {
  const Attrs old = attrs;
  const auto put = [&](int64_t number) {
    const auto found = numbers.find(number);
    return found == numbers.end() ? number : found->second;
  };
  for (const auto& [key, value] : old.entries()) {
    if (const auto* one = std::get_if<int64_t>(&value)) attrs.set(key, put(*one));
    if (const auto* several = std::get_if<std::vector<int64_t>>(&value)) {
      std::vector<int64_t> next = *several;
      std::ranges::transform(next, next.begin(), put);
      attrs.set(key, std::move(next));
    }
  }
}

bool same_results(const Program& a, const Program& b) {
  return std::ranges::equal(a.results, b.results,
                            [&](ValueId x, ValueId y) { return a[x].shape == b[y].shape; });
}

// A size above 1 that is the same at both sizes although every size of the problem changes.
int64_t unmoved_size(const Program& program, const Program& shrunk, const Sizes& sizes) {
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
  const Sizes sizes = relation(full, reduced);
  Program declared = program;
  declare(declared, reduced, reduced.inputs);
  declare(declared, reduced, reduced.params);
  const std::vector<Choice> open = choices(program, sizes);
  std::vector<size_t> at(open.size(), 0);
  int64_t unmoved = 0;
  for (size_t tries = 0; tries < kMostTries; ++tries) {
    std::map<int64_t, int64_t> numbers;
    for (size_t i = 0; i < open.size(); ++i) numbers[open[i].number] = open[i].options[at[i]];
    Program next = declared;
    for (Op& op : next.ops) substitute(op.attrs, numbers);
    DiagSink diags;
    reinfer(catalog, next, diags);
    if (!diags.has_errors() && same_results(next, reduced)) {
      unmoved = unmoved_size(program, next, sizes);
      if (unmoved == 0) return {std::move(next), {}};
    }
    size_t digit = 0;
    while (digit < open.size() && ++at[digit] == open[digit].options.size()) at[digit++] = 0;
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
