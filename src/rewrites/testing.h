#pragma once
// Why: tests of rewrites read programs as text, run them on the CPU, and compare numbers.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catalog/builtin.h"
#include "catalog/rewrite_spec.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "exec/execute.h"
#include "syntax/parser.h"
#include "syntax/print.h"

namespace uc::rewrites::testing {

inline const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

inline const RewriteSpec& row(std::string_view id) {
  for (const RewriteSpec* each : catalog().rewrites()) {
    if (each->id == id) return *each;
  }
  ADD_FAILURE() << "no rewrite " << id;
  std::abort();
}

inline RewriteContext context(Precision allowed) { return {catalog(), *catalog().device("h200"), allowed}; }

/// The program of a text; every error fails the test but that no kernel serves an operator yet.
inline Program program(const std::string& text) {
  DiagSink diags;
  diags.relax("UC19");
  const ast::File tree = parse(text, diags);
  Program out = resolve(catalog(), tree, diags);
  if (!diags.has_errors()) (void)lower(catalog(), out, diags);
  for (const Diag& diag : diags.sorted()) {
    if (diag.severity == Severity::error) ADD_FAILURE() << diag.id << ": " << diag.message << "\n" << text;
  }
  return out;
}

/// Through text and back, as the loop does it.
inline Program settle(const Program& changed) { return program(print(catalog(), changed)); }

/// Applies the row at its first site until it finds none.
inline Program exhaust(std::string_view id, Program from, Precision allowed = Precision::f16) {
  for (int i = 0; i < 32; ++i) {
    const auto sites = row(id).find(from, context(allowed));
    if (sites.empty()) return from;
    const std::string before = print(catalog(), from);
    from = settle(row(id).apply(from, sites.front(), context(allowed)));
    if (print(catalog(), from) == before) {
      ADD_FAILURE() << id << " found a site and changed nothing:\n" << before;
      return from;
    }
  }
  ADD_FAILURE() << id << " does not come to an end";
  return from;
}

/// What random data is like: `special` has zeros, infinities and NaN among its normal numbers.
enum class Data : uint8_t { normal, zeros, special };

inline double drawn(Data data, std::mt19937& random) {
  std::normal_distribution<double> normal(0, 1);
  const double value = data == Data::zeros ? 0 : normal(random);
  constexpr double kSpecial[] = {0.0, INFINITY, -INFINITY, NAN};
  return data == Data::special && random() % 5 == 0 ? kSpecial[random() % 4] : value;
}

/// Zeros where a declared structure of a matrix has them.
inline void keep_structure(const Value& value, HostTensor& tensor) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(value.structure, word) != value.structure.end();
  };
  if (value.shape.size() != 2) return;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const int64_t row = i / value.shape[1], column = i % value.shape[1];
    const bool above = column > row && (has("diag") || has("lower"));
    const bool below = column < row && (has("diag") || has("upper"));
    if (above || below) tensor.set(i, 0);
  }
}

inline std::vector<HostTensor> random_tensors(const Program& of, const std::vector<ValueId>& values,
                                              std::mt19937& random, Data data = Data::normal) {
  std::vector<HostTensor> out;
  for (const ValueId id : values) {
    HostTensor tensor = HostTensor::zeros(of[id].dtype, of[id].shape);
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, drawn(data, random));
    keep_structure(of[id], tensor);
    out.push_back(std::move(tensor));
  }
  return out;
}

/// Results on data drawn from `seed`; two programs with equal declarations get equal data.
inline std::vector<HostTensor> run(const Program& of, uint32_t seed, Data data = Data::normal) {
  std::mt19937 random(seed);
  const auto inputs = random_tensors(of, of.inputs, random, data);
  const auto params = random_tensors(of, of.params, random, data);
  auto results = execute(catalog(), of, inputs, params);
  if (!results) {
    ADD_FAILURE() << results.error().message << "\n" << print(catalog(), of);
    return {};
  }
  return std::move(*results);
}

/// |a - b| / |b| over all results together; infinite when shapes or types differ.
inline double distance(const std::vector<HostTensor>& a, const std::vector<HostTensor>& b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, whole = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].shape != b[i].shape || a[i].dtype != b[i].dtype) return INFINITY;
    for (int64_t k = 0; k < a[i].count(); ++k) {
      const double x = a[i].at(k), y = b[i].at(k);
      if (std::isfinite(y)) whole += y * y;
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      difference += (x - y) * (x - y);
    }
  }
  return difference == 0 ? 0 : std::sqrt(difference / std::max(whole, 1e-30));
}

}  // namespace uc::rewrites::testing
