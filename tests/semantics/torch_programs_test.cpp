// Every data/torch/programs_*.jsonl, replayed: whole programs that PyTorch answered. What "agrees" means is
// in docs/schemas/torch_programs.md; a file that appears is tested without an edit here.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalog/builtin.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "syntax/parser.h"
#include "torch_records.h"

namespace uc::semantics {
namespace {

using nlohmann::json;

std::vector<std::string> files() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(UC_SOURCE_DIR) + "/data/torch")) {
    if (entry.path().filename().string().starts_with("programs_")) out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct Answer {
  HostTensor torch;
  std::optional<HostTensor> f64;
};

/// A program with its inputs in the order of its declarations.
struct Recorded {
  std::string title;
  std::string source;
  std::vector<HostTensor> inputs;
  std::vector<Answer> answers;
  bool sums = false;  ///< elements are sums that may cancel
};

bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Distance of neighbours of `value` in `type`.
double ulp(DType type, double value) {
  const int digits = type == DType::f64 ? 52 : type == DType::f32 ? 23 : type == DType::f16 ? 10 : 7;
  const int least = type == DType::f64 ? -1074 : type == DType::f32 ? -149 : type == DType::f16 ? -24 : -133;
  if (!std::isfinite(value)) return 0;
  return std::ldexp(1.0, std::max(value == 0 ? least : std::ilogb(value) - digits, least));
}

/// PyTorch's greatest errors over an answer.
struct Errors {
  double absolute = 0;
  double relative = 0;
  double greatest = 0;  ///< of the answer's elements
};

Errors errors_of(const Answer& answer) {
  Errors out;
  for (int64_t i = 0; i < answer.torch.count(); ++i) {
    const double truth = answer.f64->at(i);
    const double error = std::abs(answer.torch.at(i) - truth);
    if (!std::isfinite(truth) || !std::isfinite(error)) continue;
    out.absolute = std::max(out.absolute, error);
    if (truth != 0) out.relative = std::max(out.relative, error / std::abs(truth));
    out.greatest = std::max(out.greatest, std::abs(truth));
  }
  return out;
}

double allowed(const Answer& answer, const Errors& errors, bool sums, int64_t i) {
  const DType type = answer.torch.dtype;
  const double truth = answer.f64->at(i);
  if (type == DType::f64) return 0x1p-47 * errors.greatest;
  const double usual = sums ? errors.absolute : std::min(errors.absolute, errors.relative * std::abs(truth));
  const double here = std::abs(answer.torch.at(i) - truth);
  return 2 * ulp(type, truth) + 4 * std::max(usual, std::isfinite(here) ? here : 0.0);
}

void compare(const Recorded& recorded, size_t which, const HostTensor& ours) {
  const Answer& answer = recorded.answers[which];
  ASSERT_EQ(name(ours.dtype), name(answer.torch.dtype)) << recorded.title;
  ASSERT_EQ(ours.shape, answer.torch.shape) << recorded.title;
  const Errors errors = answer.f64 ? errors_of(answer) : Errors{};
  for (int64_t i = 0; i < ours.count(); ++i) {
    if (same_value(ours.at(i), answer.torch.at(i))) continue;
    // An order of operations may overflow on the way where the answer does not: float64 is the truth.
    const bool finite = answer.f64 && std::isfinite(round_to(answer.torch.dtype, answer.f64->at(i)));
    const bool near = finite && std::isfinite(ours.at(i)) &&
                      std::abs(ours.at(i) - answer.f64->at(i)) <= allowed(answer, errors, recorded.sums, i);
    if (near) continue;
    ADD_FAILURE() << recorded.title << ", result " << which << ", element " << i << ": "
                  << shortest_float(ours.at(i)) << ", PyTorch " << shortest_float(answer.torch.at(i))
                  << (answer.f64 ? ", float64 " + shortest_float(answer.f64->at(i)) : "") << "\n"
                  << recorded.source;
    return;
  }
}

void replay(const Recorded& recorded) {
  static const Catalog catalog = builtin_catalog();
  DiagSink diags;
  const Program program = resolve(catalog, parse(recorded.source, diags), diags);
  ASSERT_FALSE(diags.has_errors()) << recorded.title << "\n"
                                   << render_text(diags.sorted(), recorded.source, "recorded.uc");
  std::map<ValueId, bool> declared;  // ids rise in order of declaration
  for (const ValueId id : program.inputs) declared[id] = true;
  for (const ValueId id : program.params) declared[id] = false;
  ASSERT_EQ(declared.size(), recorded.inputs.size()) << recorded.title;
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> params;
  size_t next = 0;
  for (const auto& [id, is_input] : declared) (is_input ? inputs : params).push_back(recorded.inputs[next++]);
  const auto out = execute(catalog, program, inputs, params);
  ASSERT_TRUE(out.has_value()) << recorded.title << ": " << out.error().message;
  ASSERT_EQ(out->size(), recorded.answers.size()) << recorded.title;
  for (size_t i = 0; i < out->size(); ++i) compare(recorded, i, (*out)[i]);
}

HostTensor tensor(const json& row) { return decode_tensor(row["dtype"], row["shape"], row["data"]); }

Recorded recorded(const json& row, const std::map<std::string, HostTensor>& arrays, size_t line) {
  Recorded out{row["name"].get<std::string>() + " at line " + std::to_string(line), row["source"], {}, {}};
  out.sums = row.value("sums", false);
  for (const json& input : row["inputs"]) out.inputs.push_back(arrays.at(input.get<std::string>()));
  for (size_t i = 0; i < row["outputs"].size(); ++i) {
    const json& output = row["outputs"][i];
    Answer answer{tensor(output), std::nullopt};
    if (row.contains("f64") && !row["f64"][i].is_null())
      answer.f64 = decode_tensor("f64", output["shape"], row["f64"][i]);
    out.answers.push_back(std::move(answer));
  }
  return out;
}

class TorchPrograms : public testing::TestWithParam<std::string> {};

TEST_P(TorchPrograms, Agree) {
  std::ifstream in(GetParam());
  ASSERT_TRUE(in.good()) << GetParam();
  std::map<std::string, HostTensor> arrays;
  size_t count = 0;
  size_t promised = 0;
  std::string text;
  for (size_t line = 1; std::getline(in, text); ++line) {
    const json row = json::parse(text);
    if (row.contains("schema")) promised = row["programs"];
    if (row.contains("array")) arrays.emplace(row["array"], tensor(row));
    if (!row.contains("source")) continue;
    replay(recorded(row, arrays, line));
    ++count;
  }
  EXPECT_EQ(count, promised);
  EXPECT_GT(count, 0U);
}

INSTANTIATE_TEST_SUITE_P(Recorded, TorchPrograms, testing::ValuesIn(files()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

}  // namespace
}  // namespace uc::semantics
