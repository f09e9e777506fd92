#include "eval/eval_json.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace uc {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<EvalLabel, std::string_view>, 6> kLabels{
    {{EvalLabel::ok, "ok"},
     {EvalLabel::sol_ceiling, "sol_ceiling"},
     {EvalLabel::gaming, "gaming"},
     {EvalLabel::library_only, "library_only"},
     {EvalLabel::incorrect, "incorrect"},
     {EvalLabel::broken, "broken"}}};

json to_json(const std::vector<EvalTensor>& tensors) {
  json list = json::array();
  for (const EvalTensor& tensor : tensors) {
    list.push_back({{"name", tensor.name}, {"dtype", name(tensor.dtype)}, {"shape", tensor.shape}});
    if (!tensor.stride.empty()) list.back()["stride"] = tensor.stride;
  }
  return list;
}

/// Readers that take what is there and fall back otherwise: the judge may be newer or older than we are.
std::string text(const json& from, const char* key) {
  const auto it = from.find(key);
  return it != from.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Numbers; "inf", "-inf" and "nan" stand for what JSON cannot say.
double real(const json& from, const char* key) {
  const auto it = from.find(key);
  if (it == from.end()) return 0;
  if (it->is_number()) return it->get<double>();
  const std::string word = it->is_string() ? it->get<std::string>() : "";
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  return word == "nan" ? std::numeric_limits<double>::quiet_NaN() : 0.0;
}

int whole(const json& from, const char* key) {
  const auto it = from.find(key);
  return it != from.end() && it->is_number_integer() ? it->get<int>() : 0;
}

uint64_t large(const json& from, const char* key) {
  const auto it = from.find(key);
  return it != from.end() && it->is_number_unsigned() ? it->get<uint64_t>() : 0;
}

bool flag(const json& from, const char* key) {
  const auto it = from.find(key);
  return it != from.end() && it->is_boolean() && it->get<bool>();
}

const json& part(const json& from, const char* key) {
  static const json kNothing = json::object();
  const auto it = from.find(key);
  return it != from.end() && it->is_structured() ? *it : kNothing;
}

std::vector<std::string> texts(const json& list) {
  std::vector<std::string> result;
  for (const json& item : list) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

EvalTime time_from(const json& from) {
  return {real(from, "gpu_us"),  real(from, "wall_us"), real(from, "graph_us"), real(from, "low_us"),
          real(from, "high_us"), whole(from, "runs"),   real(from, "sm_mhz"),   whole(from, "unheld")};
}

EvalTrial trial_from(const json& from) {
  return {text(from, "name"),  flag(from, "passed"),      real(from, "excess"),
          real(from, "error"), real(from, "error_bound"), text(from, "why")};
}

EvalComparison comparison_from(const json& from) {
  EvalComparison result;
  result.baseline = text(from, "baseline");
  result.baseline_time = time_from(part(from, "baseline_time"));
  result.candidate_time = time_from(part(from, "candidate_time"));
  result.speedup = real(from, "speedup");
  result.low = real(from, "low");
  result.high = real(from, "high");
  result.verdict = text(from, "verdict");
  result.pairs = whole(from, "pairs");
  result.dropped = whole(from, "dropped");
  return result;
}

template <class T, class Read>
std::vector<T> all(const json& list, Read read) {
  std::vector<T> result;
  for (const json& item : list) {
    if (item.is_object()) result.push_back(read(item));
  }
  return result;
}

Result<std::vector<EvalTensor>> manifest_tensors(const json& manifest, const char* key, bool by_binding) {
  std::vector<EvalTensor> result;
  for (const json& item : part(manifest, key)) {
    EvalTensor tensor;
    tensor.name = text(item, "name");
    if (const std::string binding = text(item, "binding"); by_binding && !binding.empty())
      tensor.name = binding;
    const auto dtype = parse_dtype(text(item, "dtype"));
    if (!dtype) return fail(fmt::format("the manifest's {} {} has no known dtype", key, tensor.name));
    tensor.dtype = *dtype;
    for (const json& extent : part(item, "shape")) {
      if (!extent.is_number_integer())
        return fail(fmt::format("the manifest's {} {} has no fixed shape", key, tensor.name));
      tensor.shape.push_back(extent.get<int64_t>());
    }
    for (const json& step : part(item, "stride")) {
      if (step.is_number_integer()) tensor.stride.push_back(step.get<int64_t>());
    }
    result.push_back(std::move(tensor));
  }
  return result;
}

}  // namespace

std::string_view label_name(EvalLabel label) {
  for (const auto& [value, word] : kLabels) {
    if (value == label) return word;
  }
  return "broken";
}

json to_json(const EvalProblem& problem) {
  return {{"path", problem.path},
          {"builtin", problem.builtin},
          {"tolerance", problem.tolerance == Tolerance::strict ? "strict" : "reduced"},
          {"math", problem.math},
          {"seed", problem.seed},
          {"trials", problem.trials},
          {"sets", problem.sets},
          {"baselines", problem.baselines},
          {"baseline_budget_s", problem.baseline_budget_s}};
}

json to_json(const EvalRequest& request) {
  return {{"id", request.id},
          {"library", request.library},
          {"inputs", to_json(request.inputs)},
          {"params", to_json(request.params)},
          {"outputs", to_json(request.outputs)},
          {"dims", request.dims},
          {"time", request.time},
          {"rounds", request.rounds},
          {"against", request.against},
          {"sustained_s", request.sustained_s},
          {"time_budget_s", request.time_budget_s},
          {"sol_floor_us", request.sol_floor_us},
          {"reduction", request.reduction},
          {"vendor_libraries", request.vendor_libraries}};
}

std::vector<EvalBaseline> baselines_from_json(const json& list) {
  return all<EvalBaseline>(list, [](const json& item) {
    return EvalBaseline{text(item, "name"),   time_from(part(item, "time")), flag(item, "own_io"),
                        flag(item, "passed"), real(item, "excess"),          real(item, "error"),
                        text(item, "failure")};
  });
}

Result<EvalResult> result_from_json(const json& record) {
  if (!record.is_object() || text(record, "schema") != "ucutlass.eval.result/1") {
    return fail("not an evaluation's record: its schema is not ucutlass.eval.result/1");
  }
  EvalResult result;
  const std::string label = text(record, "label");
  bool known = false;
  for (const auto& [value, word] : kLabels) {
    if (word == label) result.label = value, known = true;
  }
  if (!known) return fail(fmt::format("an evaluation with the unknown label '{}'", label));
  result.id = text(record, "id");
  result.reason = text(record, "reason");
  result.message = text(record, "message");
  result.trials = all<EvalTrial>(part(record, "trials"), trial_from);
  result.time = time_from(part(record, "time"));
  result.baselines = baselines_from_json(part(record, "baselines"));
  result.best_baseline = text(record, "best_baseline");
  result.comparisons = all<EvalComparison>(part(record, "comparisons"), comparison_from);
  result.sustained = all<EvalComparison>(part(record, "sustained"), comparison_from);
  result.notes = texts(part(record, "notes"));
  result.libraries = texts(part(record, "libraries"));
  result.prepack_us = real(record, "prepack_us");
  result.packed_bytes = large(record, "packed_bytes");
  result.workspace_bytes = large(record, "workspace_bytes");
  result.seed = large(record, "seed");
  result.device = text(part(record, "device"), "name");
  result.transport = text(record, "transport");
  result.seconds = real(record, "seconds");
  result.json = record.dump();
  return result;
}

Result<> read_manifest(const std::string& manifest_json, EvalRequest& request) {
  const json manifest = json::parse(manifest_json, nullptr, false);
  if (!manifest.is_object() || !text(manifest, "schema").starts_with("ucutlass.manifest/")) {
    return fail("not a manifest of ucutlass: its schema is not ucutlass.manifest/1");
  }
  auto inputs = manifest_tensors(manifest, "inputs", false);
  auto params = manifest_tensors(manifest, "params", true);
  auto outputs = manifest_tensors(manifest, "outputs", false);
  for (const auto* list : {&inputs, &params, &outputs}) {
    if (!*list) return tl::unexpected(list->error());
  }
  request.inputs = std::move(*inputs);
  request.params = std::move(*params);
  request.outputs = std::move(*outputs);
  return {};
}

}  // namespace uc
