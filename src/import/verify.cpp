#include "import/verify.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "exec/execute.h"
#include "import/importer.h"

namespace uc {
namespace {

double unit_roundoff(Math math) {
  switch (math) {
    case Math::tf32:
    case Math::f16: return std::ldexp(1.0, -11);
    case Math::bf16: return std::ldexp(1.0, -8);
    case Math::f8: return std::ldexp(1.0, -4);
    case Math::f64: return std::ldexp(1.0, -53);
    default: return std::ldexp(1.0, -24);
  }
}

double store_roundoff(DType type) {
  switch (type) {
    case DType::f16: return std::ldexp(1.0, -11);
    case DType::bf16: return std::ldexp(1.0, -8);
    case DType::f8e4m3: return std::ldexp(1.0, -4);
    case DType::f8e5m2: return std::ldexp(1.0, -3);
    default: return 0;
  }
}

Math math_of(Precision precision) {
  switch (precision) {
    case Precision::strict: return Math::f32;
    case Precision::tf32: return Math::tf32;
    case Precision::f16: return Math::f16;
    case Precision::bf16: return Math::bf16;
    case Precision::f8: return Math::f8;
  }
  return Math::f32;
}

Math math_of(DType type) {
  switch (type) {
    case DType::f16: return Math::f16;
    case DType::bf16: return Math::bf16;
    case DType::f8e4m3:
    case DType::f8e5m2: return Math::f8;
    default: return Math::f32;
  }
}

Math coarser(Math a, Math b) { return unit_roundoff(a) < unit_roundoff(b) ? b : a; }

// How many products are summed, at most: the longest extent of what is given, or what a convolution's weights
// hold for one channel.
int64_t longest(const Graph& graph) {
  int64_t most = 1;
  for (const GraphTensor& tensor : graph.tensors) {
    if (tensor.role == TensorRole::value) continue;
    for (const int64_t extent : tensor.shape) most = std::max(most, extent);
    if (tensor.role == TensorRole::param && tensor.shape.size() >= 3)
      most = std::max(most, numel(tensor.shape) / std::max<int64_t>(tensor.shape[0], 1));
  }
  return most;
}

// Root of the mean square of the largest output.
double magnitude(const std::vector<CaseOutput>& outputs) {
  double most = 0;
  for (const CaseOutput& output : outputs) {
    double sum = 0;
    for (int64_t i = 0; i < output.data.count(); ++i) sum += output.data.at(i) * output.data.at(i);
    most = std::max(most, std::sqrt(sum / static_cast<double>(std::max<int64_t>(output.data.count(), 1))));
  }
  return most;
}

// allclose is made for the problem's own data. With other data the outputs may be larger, and small ones
// among them what is left of large sums: its absolute part grows with them. What a sum of products of rounded
// operands is off by goes with the rounding: 8 units of it are 2^-5 for bf16, where allclose has the 1e-2 of
// f16. (KernelBench L1/11 by normal(0, 2): one of four products, 19.25, is off by 0.11, and the sum, 4.89, by
// 0.16.) That the whole result is right is asked by its norm.
struct Elementwise {
  double scale = 1;
  double allclose;
};

Elementwise elementwise(const ReducedCase& run, const CaseTolerance& tolerance) {
  if (run.distribution == "problem") return {1, tolerance.allclose};
  return {std::max(1.0, magnitude(run.outputs)),
          std::max(tolerance.allclose, 8 * unit_roundoff(tolerance.math))};
}

class Comparison {
 public:
  Comparison(const CaseTolerance& tolerance, int64_t reduction, const Elementwise& elements, CaseCheck& out)
      : tolerance_(tolerance), reduction_(reduction), elements_(elements), out_(out) {}

  void compare(const HostTensor& got, const CaseOutput& want) {
    if (got.shape != want.data.shape || got.dtype != want.data.dtype) {
      return wrong(fmt::format("{} {} where torch gives {} {}", name(got.dtype), to_text(got.shape),
                               name(want.data.dtype), to_text(want.data.shape)));
    }
    elements(got, want);
    norms(got, want);
  }

 private:
  void wrong(std::string why) {
    if (out_.why.empty()) out_.why = std::move(why);
  }

  // torch's own answer is as far from the truth as its rounding in 16 bits makes it; no more is asked of
  // others.
  static double own_error(const CaseOutput& want) {
    double most = 0;
    for (int64_t i = 0; want.f64 && i < want.data.count(); ++i) {
      const double error = std::abs(want.data.at(i) - want.f64->at(i));
      if (std::isfinite(error)) most = std::max(most, error);
    }
    return most;
  }

  void elements(const HostTensor& got, const CaseOutput& want) {
    const double own = own_error(want);
    for (int64_t i = 0; i < got.count(); ++i) {
      const double a = got.at(i);
      const double b = want.data.at(i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      if (!std::isfinite(a) || !std::isfinite(b))
        return wrong(fmt::format("element {} is {} where torch gives {}", i, a, b));
      const double excess = std::abs(a - b) / (elements_.allclose * (elements_.scale + std::abs(b)) + own);
      if (excess > 1) wrong(fmt::format("element {} is {} where torch gives {}", i, a, b));
      out_.excess = std::max(out_.excess, excess);
    }
  }

  // Root of the squared differences over that of the squares of `want`.
  static double relative(const HostTensor& got, const HostTensor& want) {
    double difference = 0;
    double whole = 0;
    for (int64_t i = 0; i < got.count(); ++i) {
      const double d = got.at(i) - want.at(i);
      if (!std::isfinite(d)) continue;
      difference += d * d;
      whole += want.at(i) * want.at(i);
    }
    return whole > 0 ? std::sqrt(difference / whole) : std::sqrt(difference);
  }

  // Where the problem cancels (the mean of what was normalised), torch is off by more than its arithmetic
  // says, and so may others be.
  void norms(const HostTensor& got, const CaseOutput& want) {
    constexpr double kOwn = 4.0;
    const double error = relative(got, want.f64 ? *want.f64 : want.data);
    const double own = want.f64 ? kOwn * relative(want.data, *want.f64) : 0.0;
    const double arithmetic =
        4.0 * (unit_roundoff(tolerance_.math) +
               std::sqrt(static_cast<double>(reduction_)) * std::ldexp(1.0, -24) + store_roundoff(got.dtype));
    const double bound = std::max(arithmetic, own);
    if (out_.error_bound == 0 || error / bound > out_.error / out_.error_bound) {
      out_.error = error;
      out_.error_bound = bound;
    }
    if (error > bound) wrong(fmt::format("relative error {:.3g} is above its bound {:.3g}", error, bound));
  }

  const CaseTolerance& tolerance_;
  int64_t reduction_;
  Elementwise elements_;
  CaseCheck& out_;
};

Result<std::vector<HostTensor>> tensors_for(const Program& program, const std::vector<ValueId>& values,
                                            const std::map<std::string, GraphTensorId, std::less<>>& tensors,
                                            const ReducedCase& run) {
  std::vector<HostTensor> out;
  for (const ValueId id : values) {
    const auto found = tensors.find(program[id].name);
    const HostTensor* data = found == tensors.end() ? nullptr : run.find(found->second);
    if (data == nullptr)
      return fail(fmt::format("the recorded runs hold no data for `{}`", program[id].name),
                  "capture the problem again");
    out.push_back(*data);
  }
  return out;
}

Result<std::vector<double>> scalars_for(const Program& program,
                                        const std::map<std::string, GraphTensorId, std::less<>>& tensors,
                                        const Graph& graph) {
  std::vector<double> out;
  for (const ValueId id : program.scalars) {
    const auto found = tensors.find(program[id].name);
    if (found == tensors.end())
      return fail(fmt::format("the recorded runs hold no number for `{}`", program[id].name),
                  "capture the problem again");
    out.push_back(graph[found->second].scalar.value_or(0));
  }
  return out;
}

}  // namespace

CaseTolerance tolerance_of(Precision precision, const Graph& graph) {
  Math math = math_of(precision);
  for (const GraphTensor& tensor : graph.tensors) {
    if (tensor.role != TensorRole::value) math = coarser(math, math_of(tensor.dtype));
  }
  return {unit_roundoff(math) > unit_roundoff(Math::f32) ? 1e-2 : 1e-4, math};
}

Result<std::vector<CaseCheck>> run_cases(const Catalog& catalog, const Program& program,
                                         const std::map<std::string, GraphTensorId, std::less<>>& tensors,
                                         const ReducedRun& run, const CaseTolerance& tolerance) {
  std::vector<CaseCheck> out;
  const auto scalars = scalars_for(program, tensors, run.graph);
  if (!scalars) return tl::unexpected(scalars.error());
  for (const ReducedCase& each : run.cases) {
    CaseCheck check;
    check.name = fmt::format("case {}, seed {}, {}", out.size() + 1, each.seed, each.distribution);
    const auto inputs = tensors_for(program, program.inputs, tensors, each);
    if (!inputs) return tl::unexpected(inputs.error());
    const auto params = tensors_for(program, program.params, tensors, each);
    if (!params) return tl::unexpected(params.error());
    const auto results = execute(catalog, program, *inputs, *params, *scalars);
    if (!results) return tl::unexpected(results.error());
    if (results->size() != each.outputs.size()) {
      check.why = fmt::format("{} results where torch gives {}", results->size(), each.outputs.size());
    } else {
      Comparison comparison(tolerance, longest(run.graph), elementwise(each, tolerance), check);
      for (size_t i = 0; i < results->size(); ++i) comparison.compare((*results)[i], each.outputs[i]);
    }
    check.passed = check.why.empty();
    out.push_back(std::move(check));
  }
  return out;
}

bool ImportCheck::passed() const {
  return !cases.empty() && std::ranges::all_of(cases, [](const CaseCheck& each) { return each.passed; });
}

Result<ImportCheck> verify_import(const Catalog& catalog, const CapturedProblem& problem) {
  if (!problem.reduced) {
    return fail(
        fmt::format("{} has no recorded run to check against: {}", problem.name, problem.reduced_missing),
        "capture it again without --no-reduced");
  }
  const Imported imported = import_graph(catalog, problem.reduced->graph);
  if (!imported.ok()) return tl::unexpected(import_error(imported, problem.name));
  auto cases = run_cases(catalog, imported.program, imported.tensors, *problem.reduced,
                         tolerance_of(Precision::strict, problem.reduced->graph));
  if (!cases) return tl::unexpected(cases.error());
  return ImportCheck{std::move(*cases)};
}

}  // namespace uc
