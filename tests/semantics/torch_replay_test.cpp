// Every recorded answer of PyTorch, replayed: the record becomes program text, which is parsed, resolved and
// executed. Result types and shapes agree always; values agree as docs/schemas/torch_records.md says.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "base/text.h"
#include "catalog/builtin.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "syntax/parser.h"
#include "torch_records.h"

namespace uc::semantics {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

struct Replay {
  std::string source;
  std::vector<HostTensor> inputs;
};

DType type_of(const std::variant<HostTensor, Number>& input) {
  if (const auto* tensor = std::get_if<HostTensor>(&input)) return tensor->dtype;
  return std::get<Number>(input).is_int ? DType::i64 : DType::f32;
}

bool any_type(const TorchRecord& record, DType type) {
  return std::any_of(record.inputs.begin(), record.inputs.end(),
                     [type](const auto& input) { return type_of(input) == type; });
}

/// PyTorch rounds integers to the 16-bit type that they meet before it computes; the language rounds nothing
/// that is not stored. Written out as `to`, PyTorch's answer is to be had.
std::string in_common_type(const TorchRecord& record, const HostTensor& tensor, const std::string& text) {
  if (is_floating(tensor.dtype) || tensor.dtype == DType::boolean || record.op == "to") return text;
  for (const DType small : {DType::f16, DType::bf16}) {
    if (any_type(record, small)) return fmt::format("to({}, {})", text, name(small));
  }
  return text;
}

/// PyTorch wraps a negative number to u8 before it computes with a u8 tensor; here -2 stays -2.
std::string number_text(const TorchRecord& record, const Number& number) {
  if (!number.is_int) return shortest_float(number.value);
  const bool wraps = number.value < 0 && any_type(record, DType::u8) && record.op != "div";
  return fmt::format("{}", static_cast<int64_t>(number.value) + (wraps ? 256 : 0));
}

/// Batches that broadcast against each other take a copy, as UC1206 says: the operand expanded to both.
std::string in_full_batch(const TorchRecord& record, size_t index, const std::string& text,
                          std::string& source) {
  const auto& tensor = std::get<HostTensor>(record.inputs[index]);
  if (record.op != "gemm" || record.output.shape.size() != 4) return text;
  Shape full(record.output.shape.begin(), record.output.shape.end() - 2);
  full.insert(full.end(), tensor.shape.end() - 2, tensor.shape.end());
  source += fmt::format("t{} = to(expand({}, {}), row)\n", index, text, to_text(full));
  return fmt::format("t{}", index);
}

/// `say`: the type that the chain ends with, for results that must be said.
Replay replay_of(const TorchRecord& record, const std::string& precision, const std::string& say) {
  Replay out;
  std::string steps;
  out.source = "target sm_90a\nprecision " + precision + "\n";
  std::vector<std::string> args;
  for (size_t i = 0; i < record.inputs.size(); ++i) {
    if (const auto* tensor = std::get_if<HostTensor>(&record.inputs[i])) {
      const std::string input = fmt::format("x{}", i);
      out.source += fmt::format("input {}: {}{}\n", input, name(tensor->dtype), to_text(tensor->shape));
      out.inputs.push_back(*tensor);
      args.push_back(in_full_batch(record, i, in_common_type(record, *tensor, input), steps));
    } else {
      args.push_back(number_text(record, std::get<Number>(record.inputs[i])));
    }
  }
  out.source += steps;
  std::string chain;
  if (record.op == "linear" && args.size() == 3) {
    chain = " >> bias(" + args.back() + ")";
    args.pop_back();
  }
  for (const auto& [key, value] : record.params) args.push_back(key + "=" + value);
  if (!say.empty()) chain += " >> to(" + say + ")";
  out.source += fmt::format("y = {}({}){}\nreturn y\n", record.op, fmt::join(args, ", "), chain);
  return out;
}

/// Where this language deliberately has another meaning than PyTorch.
bool deliberate(const TorchRecord& record) {
  const DType first = type_of(record.inputs[0]);
  // PyTorch computes 1 + |x| in the integer type, where it wraps; here integers are computed in f32.
  if (record.op == "softsign" && !is_floating(first)) return true;
  // PyTorch wraps the lower bound -1 to 255.
  return record.op == "clamp" && first == DType::u8 && record.output.dtype == DType::u8 &&
         record.params.size() == 2;
}

bool must_be_said(const TorchRecord& record) {
  const DType type = record.output.dtype;
  return record.op != "to" && size_bytes(type) == 1 && type != DType::boolean;
}

bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Distance of neighbours of `value` in `type`.
double ulp(DType type, double value) {
  const int digits = type == DType::f64 ? 52 : type == DType::f32 ? 23 : type == DType::f16 ? 10 : 7;
  const int least = type == DType::f64 ? -1074 : type == DType::f32 ? -149 : type == DType::f16 ? -24 : -133;
  if (!std::isfinite(value)) return 0;
  return std::ldexp(1.0, std::max(value == 0 ? least : std::ilogb(value) - digits, least));
}

class Replayer {
 public:
  Replayer(std::string precision, bool cuda) : precision_(std::move(precision)), cuda_(cuda) {}

  void run(const TorchRecord& record) {
    if (deliberate(record)) {
      ++deliberate_;
      return;
    }
    const std::string say = must_be_said(record) ? std::string(name(record.output.dtype)) : "";
    if (!say.empty()) expect_unsaid_error(record);
    const Replay replay = replay_of(record, precision_, say);
    DiagSink diags;
    const Program program = resolve(catalog(), parse(replay.source, diags), diags);
    ASSERT_FALSE(diags.has_errors()) << record.title() << "\n"
                                     << render_text(diags.sorted(), replay.source, "replay.uc");
    const Op& main = program[program.steps.back().main];
    EXPECT_EQ(name(program[main.out[0]].dtype), name(record.output.dtype)) << record.title();
    const auto out = execute(catalog(), program, replay.inputs, {});
    ASSERT_TRUE(out.has_value()) << record.title() << ": " << out.error().message;
    EXPECT_EQ(out->front().shape, record.output.shape) << record.title();
    EXPECT_EQ(out->front().dtype, record.output.dtype) << record.title();
    if (out->front().shape == record.output.shape) compare(record, out->front());
    ++count_;
  }

  size_t count() const { return count_; }
  size_t deliberately_different() const { return deliberate_; }

 private:
  void expect_unsaid_error(const TorchRecord& record) const {
    const Replay replay = replay_of(record, precision_, "");
    DiagSink diags;
    resolve(catalog(), parse(replay.source, diags), diags);
    ASSERT_EQ(diags.error_count(), 1U) << record.title();
    EXPECT_EQ(diags.diags()[0].id, "UC1215") << record.title();
  }

  void compare(const TorchRecord& record, const HostTensor& ours) const {
    for (int64_t i = 0; i < ours.count(); ++i) {
      if (agrees(record, ours, i)) continue;
      ADD_FAILURE() << record.title() << ", element " << i << ": " << shortest_float(ours.at(i))
                    << ", PyTorch " << shortest_float(record.output.at(i))
                    << (record.f64 ? ", float64 " + shortest_float(record.f64->at(i)) : "")
                    << operands_at(record, i);
      return;
    }
  }

  static std::string operands_at(const TorchRecord& record, int64_t i) {
    const auto* tensor = std::get_if<HostTensor>(&record.inputs[0]);
    return tensor != nullptr && tensor->count() == record.output.count()
               ? " of " + shortest_float(tensor->at(i))
               : "";
  }

  bool agrees(const TorchRecord& record, const HostTensor& ours, int64_t i) const {
    const double have = ours.at(i);
    const double want = record.output.at(i);
    if (same_value(have, want)) return true;
    if (!is_floating(record.output.dtype) || exact(record))
      return record.op == "to" && rounded_once(record, have, i);
    if (record.f64 && same_value(have, record.f64->at(i)))
      return true;  // gelu(inf) is NaN in PyTorch on the CPU
    return std::abs(have - want) <= tolerance(record, want, i) || overflows_in_pytorch(record, want, i);
  }

  static bool exact(const TorchRecord& record) {
    static const std::set<std::string> kExact{"to",  "where", "minimum", "maximum",  "relu",       "relu6",
                                              "abs", "neg",   "clamp",   "hardtanh", "hardshrink", "floor",
                                              "add", "sub",   "mul",     "lt",       "le",         "gt",
                                              "ge",  "eq",    "ne"};
    const bool tensors = std::all_of(record.inputs.begin(), record.inputs.end(), [](const auto& input) {
      return std::holds_alternative<HostTensor>(input);
    });
    // A number divided by a tensor is a reciprocal and a product in PyTorch; division by a number is that
    // here.
    return kExact.contains(record.op) || (record.op == "div" && tensors) ||
           (is_contraction(record) && whole(record));
  }

  static bool is_contraction(const TorchRecord& record) {
    return record.op == "gemm" || record.op == "linear";
  }

  /// Small whole numbers: any order of summation gives the same.
  static bool whole(const TorchRecord& record) {
    for (size_t k = 0; k < 2; ++k) {
      const auto& tensor = std::get<HostTensor>(record.inputs[k]);
      for (int64_t i = 0; i < tensor.count(); ++i) {
        if (tensor.at(i) != std::floor(tensor.at(i))) return false;
      }
    }
    return true;
  }

  /// PyTorch goes from f64 to 16 and 8 bits through f32; rounding once is never farther from the number.
  static bool rounded_once(const TorchRecord& record, double have, int64_t i) {
    const HostTensor& x = std::get<HostTensor>(record.inputs[0]);
    return x.dtype == DType::f64 && size_bytes(record.output.dtype) < 4 &&
           std::abs(have - x.at(i)) < std::abs(record.output.at(i) - x.at(i));
  }

  /// PyTorch's hardswish multiplies by up to 6 before it divides by 6.
  static bool overflows_in_pytorch(const TorchRecord& record, double want, int64_t i) {
    return record.op == "hardswish" && std::isinf(want) &&
           std::isinf(static_cast<float>(operand(record, i)) * 6.0F);
  }

  static double operand(const TorchRecord& record, int64_t i) {
    const auto* x = std::get_if<HostTensor>(&record.inputs[0]);
    return x != nullptr && x->count() == record.output.count() ? x->at(i) : 0.0;
  }

  static double largest(const HostTensor& tensor) {
    double most = 0;
    for (int64_t i = 0; i < tensor.count(); ++i) most = std::max(most, std::abs(tensor.at(i)));
    return most;
  }

  double tolerance(const TorchRecord& record, double want, int64_t i) const {
    const DType type = record.output.dtype;
    const double epsilon = ulp(type == DType::f64 ? DType::f64 : DType::f32, 1.0);
    double allowed = 4 * ulp(type, want);
    if (is_contraction(record)) {
      const auto& a = std::get<HostTensor>(record.inputs[0]);
      const auto& b = std::get<HostTensor>(record.inputs[1]);
      return ulp(type, want) + epsilon * static_cast<double>(a.shape.back()) * largest(a) * largest(b);
    }
    if (record.f64) {
      const double truth = record.f64->at(i);
      allowed = std::max(allowed, ulp(type, truth) + 2 * std::abs(want - truth));
    }
    const double x = std::max(1.0, std::abs(operand(record, i)));
    // Where the formula subtracts numbers near x, one of PyTorch's kernels (or ours) loses digits.
    if (record.op == "gelu" || record.op == "logsigmoid") allowed += 2 * epsilon * x;
    if (record.op == "tanhshrink") allowed += ulp(type, x);  // PyTorch rounds tanh(x) to the type first
    if (cuda_ && type == DType::f64 && record.op.starts_with("hards"))
      allowed += std::abs(want) * 0x1p-23;  // f32 constants
    return allowed;
  }

  std::string precision_;
  bool cuda_;
  size_t count_ = 0;
  size_t deliberate_ = 0;
};

void replay_file(const std::string& name, const std::string& precision, size_t count, size_t deliberate) {
  Replayer replayer(precision, name.find("cuda") != std::string::npos);
  for (const TorchRecord& record : read_records(std::string(UC_SOURCE_DIR) + "/data/torch/" + name))
    replayer.run(record);
  EXPECT_EQ(replayer.count(), count);
  EXPECT_EQ(replayer.deliberately_different(), deliberate);
}

TEST(TorchReplay, PointwiseCpu) { replay_file("pointwise_cpu.jsonl", "f8", 2040, 5); }
TEST(TorchReplay, PointwiseCuda) { replay_file("pointwise_cuda.jsonl", "f8", 2041, 6); }
TEST(TorchReplay, CastsCpu) { replay_file("casts_cpu.jsonl", "f8", 110, 0); }
TEST(TorchReplay, CastsCuda) { replay_file("casts_cuda.jsonl", "f8", 110, 0); }
TEST(TorchReplay, ContractionCpu) { replay_file("contraction_cpu.jsonl", "strict", 96, 0); }
TEST(TorchReplay, ContractionCuda) { replay_file("contraction_cuda.jsonl", "strict", 96, 0); }

}  // namespace
}  // namespace uc::semantics
