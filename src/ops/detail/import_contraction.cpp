#include "ops/detail/import_contraction.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

std::optional<ValueId> dense(ImportContext& context, ValueId x) {
  Attrs row;
  row.set("layout", std::string("row"));
  return context.apply("to", {x}, std::move(row));
}

std::optional<ValueId> with(ImportContext& context, std::string_view name, ValueId x, std::string_view key,
                            std::vector<int64_t> list) {
  Attrs attrs;
  attrs.set(key, std::move(list));
  return context.apply(name, {x}, std::move(attrs));
}

/// A tensor with a letter a dimension.
struct Term {
  ValueId value;
  std::string labels;
};

bool has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// Those of `labels` for which `keep` holds, in their order.
template <class Keep>
std::string only(const std::string& labels, const Keep& keep) {
  std::string out;
  std::ranges::copy_if(labels, std::back_inserter(out), keep);
  return out;
}

class Einsum {
 public:
  explicit Einsum(ImportContext& context) : context_(context) {}

  std::optional<ValueId> run(std::vector<Term> terms, const std::string& out) {
    Term running = terms.front();
    for (size_t i = 1; i <= terms.size(); ++i) {
      std::string later = out;
      for (size_t k = i; k < terms.size(); ++k) later += terms[k].labels;
      auto left = summed(running, later);
      if (!left || i == terms.size()) return left ? ordered(*left, out) : std::nullopt;
      later = out;
      for (size_t k = i + 1; k < terms.size(); ++k) later += terms[k].labels;
      const auto right = summed(terms[i], later + left->labels);
      const auto next = right ? pair(*left, *right, later) : std::nullopt;
      if (!next) return std::nullopt;
      running = *next;
    }
    return std::nullopt;
  }

 private:
  Shape extents(const Term& term, const std::string& labels) const {
    Shape out;
    for (const char label : labels)
      out.push_back(context_.program()[term.value].shape[term.labels.find(label)]);
    return out;
  }

  // Labels that stand nowhere else are summed over.
  std::optional<Term> summed(const Term& term, const std::string& elsewhere) {
    const std::string kept = only(term.labels, [&](char c) { return has(elsewhere, c); });
    if (kept == term.labels) return term;
    std::vector<int64_t> dims;
    for (size_t i = 0; i < term.labels.size(); ++i) {
      if (!has(kept, term.labels[i])) dims.push_back(static_cast<int64_t>(i));
    }
    const auto value = with(context_, "sum", term.value, "dim", std::move(dims));
    return value ? std::optional(Term{*value, kept}) : std::nullopt;
  }

  std::optional<ValueId> ordered(const Term& term, const std::string& labels) {
    if (term.labels == labels) return term.value;
    if (term.labels.size() != labels.size()) return std::nullopt;
    std::vector<int64_t> dims;
    for (const char label : labels) dims.push_back(static_cast<int64_t>(term.labels.find(label)));
    return with(context_, "permute", term.value, "dims", std::move(dims));
  }

  std::optional<Term> pair(const Term& a, const Term& b, const std::string& later) {
    const auto shared = [&](char c) { return has(a.labels, c) && has(b.labels, c); };
    const std::string batch = only(a.labels, [&](char c) { return shared(c) && has(later, c); });
    const std::string inner = only(a.labels, [&](char c) { return shared(c) && !has(later, c); });
    const std::string rows = only(a.labels, [&](char c) { return !shared(c); });
    const std::string columns = only(b.labels, [&](char c) { return !shared(c); });
    const std::string labels = batch + rows + columns;
    if (inner.empty()) return elementwise(a, b, labels);
    const auto left = matrix(a, batch, rows, inner);
    const auto right = matrix(b, batch, inner, columns);
    if (!left || !right) return std::nullopt;
    const auto product = context_.apply("gemm", {*left, *right});
    Shape shape = extents(a, batch + rows);
    const Shape last = extents(b, columns);
    shape.insert(shape.end(), last.begin(), last.end());
    const auto value = product ? reshaped_or_copied(context_, *product, shape) : std::nullopt;
    return value ? std::optional(Term{*value, labels}) : std::nullopt;
  }

  // [batch, first, second], each several dimensions read as one.
  std::optional<ValueId> matrix(const Term& term, const std::string& batch, const std::string& first,
                                const std::string& second) {
    const auto turned = ordered(term, batch + first + second);
    if (!turned) return std::nullopt;
    Shape shape;
    if (!batch.empty()) shape.push_back(numel(extents(term, batch)));
    shape.push_back(numel(extents(term, first)));
    shape.push_back(numel(extents(term, second)));
    const auto folded = reshaped_or_copied(context_, *turned, shape);
    return folded ? contractible(context_, *folded) : std::nullopt;
  }

  std::optional<Term> elementwise(const Term& a, const Term& b, const std::string& labels) {
    const auto left = spread(a, labels);
    const auto right = spread(b, labels);
    const auto value = left && right ? context_.apply("mul", {*left, *right}) : std::nullopt;
    return value ? std::optional(Term{*value, labels}) : std::nullopt;
  }

  // Dimensions in the order of `labels`, of extent 1 where the term lacks one.
  std::optional<ValueId> spread(const Term& term, const std::string& labels) {
    auto value = ordered(term, only(labels, [&](char c) { return has(term.labels, c); }));
    for (size_t i = 0; value && i < labels.size(); ++i) {
      if (has(term.labels, labels[i])) continue;
      Attrs attrs;
      attrs.set("dim", static_cast<int64_t>(i));
      value = context_.apply("unsqueeze", {*value}, std::move(attrs));
    }
    return value;
  }

  ImportContext& context_;
};

bool letters_once(const std::string& labels) {
  std::string sorted = labels;
  std::ranges::sort(sorted);
  const bool letters =
      std::ranges::all_of(labels, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  return letters && std::ranges::adjacent_find(sorted) == sorted.end();
}

}  // namespace

std::optional<ValueId> contractible(ImportContext& context, ValueId x) {
  const Value& value = context.program()[x];
  const size_t rank = value.shape.size();
  if (rank < 2) return x;
  const auto unit = [&](size_t d) { return value.stride[d] == 1 || value.shape[d] == 1; };
  const Shape lead(value.shape.begin(), value.shape.end() - 2);
  const Strides strides(value.stride.begin(), value.stride.end() - 2);
  const bool folds = lead.empty() || reshape_strides(lead, strides, {numel(lead)}).has_value();
  return folds && (unit(rank - 1) || unit(rank - 2)) ? std::optional(x) : dense(context, x);
}

std::optional<ValueId> reshaped_or_copied(ImportContext& context, ValueId x, const Shape& shape) {
  const Value& value = context.program()[x];
  if (value.shape == shape) return x;
  if (!reshape_strides(value.shape, value.stride, shape)) {
    const auto copy = dense(context, x);
    if (!copy) return std::nullopt;
    x = *copy;
  }
  return with(context, "reshape", x, "shape", shape);
}

bool import_einsum(ImportContext& context, const GraphOp& op) {
  const auto equation = context.word(op, 0, "equation");
  const auto values = context.values(op, 1);
  if (!equation || !values || values->empty()) return false;
  const std::string text = replace_all(*equation, " ", "");
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos) return false;
  const std::string out = text.substr(arrow + 2);
  const std::string given = text.substr(0, arrow);
  const auto parts = split(given, ',');
  if (parts.size() != values->size() || !letters_once(out)) return false;
  std::vector<Term> terms;
  for (size_t i = 0; i < parts.size(); ++i) {
    terms.push_back({(*values)[i], std::string(parts[i])});
    const size_t rank = context.program()[(*values)[i]].shape.size();
    if (!letters_once(terms.back().labels) || rank != terms.back().labels.size()) return false;
  }
  return finish(context, op, Einsum(context).run(std::move(terms), out));
}

}  // namespace uc::ops
