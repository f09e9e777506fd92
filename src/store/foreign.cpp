#include "store/foreign.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "store/json_keys.h"

namespace uc::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostMs = 1e9;

/// What a foreign sample says of itself.
struct Sample {
  std::string name;
  std::string label, reason, message;
  double ms = 0;  ///< 0: none
};

AttemptRecord attempt_of(const Sample& sample, const Json& row, std::string_view source) {
  AttemptRecord out;
  out.proposer = source;
  out.rewrite = sample.name;
  out.cause = "kernel";
  out.kernel_hashes = "[]";
  out.diagnostics = "[]";
  out.label = sample.label;
  out.reason = sample.reason;
  out.message = sample.message;
  const bool timed = sample.label == "unproven" && sample.ms > 0;
  out.time_kind = timed ? TimeKind::reported : TimeKind::none;
  out.time_us = timed ? sample.ms * 1e3 : 0;
  out.timing = Json{{"kind", name(out.time_kind)}, {"us", out.time_us}, {"record", row}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
  return out;
}

Bundle bundle_of(std::string_view source, const std::string& place, const std::string& problem,
                 const Json& options, const std::string& contents) {
  Bundle out;
  out.run.id = fmt::format("{}-{}-{}", source, place, content_hash(place + "\n" + contents).substr(0, 8));
  out.run.source = source;
  out.run.problem = problem;
  out.run.options = options.dump();
  out.run.state = RunState::done;
  return out;
}

void add(Bundle& bundle, AttemptRecord attempt) {
  attempt.run = bundle.run.id;
  attempt.number = static_cast<int64_t>(bundle.attempts.size()) + 1;
  bundle.attempts.push_back(std::move(attempt));
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= 0 ? std::optional(out)
                                                                              : std::nullopt;
}

std::string text_in(const Json& from, const char* key) {
  return from.is_object() && from.contains(key) && from[key].is_string() ? from[key].get<std::string>()
                                                                         : std::string();
}

constexpr std::string_view kKernelBenchHelp =
    R"(KernelBench writes eval_results.json: {"23": [{"sample_id": 0, "compiled": true, "correctness": true, )"
    R"("runtime": 1.25, "metadata": {}, "runtime_stats": {}}]}, times in milliseconds, -1 for none)";

// One sample of KernelBench; the error is what is wrong with it.
tl::expected<Sample, std::string> kernelbench_sample(const Json& row) {
  if (!row.is_object()) return tl::unexpected(std::string("a sample is no object"));
  for (const char* key : {"compiled", "correctness"}) {
    if (!row.contains(key) || !row[key].is_boolean())
      return tl::unexpected(fmt::format("`{}` is missing or no true or false", key));
  }
  if (!row.contains("sample_id") || !row["sample_id"].is_number_integer())
    return tl::unexpected(std::string("`sample_id` is missing or no whole number"));
  if (!row.contains("runtime") || !row["runtime"].is_number())
    return tl::unexpected(std::string("`runtime` is missing or no number"));
  const double ms = row["runtime"].get<double>();
  if (!std::isfinite(ms) || ms > kMostMs)
    return tl::unexpected(std::string("`runtime` is no time in milliseconds"));
  Sample out;
  out.name = fmt::format("sample {}", row["sample_id"].get<int64_t>());
  out.ms = ms > 0 ? ms : 0;
  const bool compiled = row["compiled"].get<bool>();
  const bool correct = row["correctness"].get<bool>();
  if (correct && !compiled) return tl::unexpected(std::string("it is correct and did not compile"));
  out.label = !compiled ? "broken" : correct ? "unproven" : "incorrect";
  out.reason = !compiled ? "build_failed" : correct ? "not_proven_here" : "wrong_result";
  out.message = correct ? "right by KernelBench's own check" : "by KernelBench's own check";
  return out;
}

Result<std::vector<Bundle>> read_kernelbench(std::string_view text, std::string_view file,
                                             const ForeignOptions& options) {
  const auto wrong = [&](const std::string& what) {
    return fail(fmt::format("{}: {}", file, what), std::string(kKernelBenchHelp), 2);
  };
  const Json all = Json::parse(text, nullptr, false);
  if (all.is_discarded()) return wrong("this is no JSON; was it cut?");
  if (!all.is_object() || all.empty()) return wrong("this is no object of problems");
  if (const auto key = repeated_key(text))
    return wrong(fmt::format("`{}` stands there twice", printable(*key)));
  std::vector<Bundle> out;
  for (const auto& [key, value] : all.items()) {
    const auto id = whole_number(key);
    if (!id) return wrong(fmt::format("`{}` is no number of a problem", printable(key)));
    // Files of before there were several samples have one object.
    const Json samples = value.is_array() ? value : Json::array({value});
    const auto known = options.names.find(*id);
    Bundle bundle =
        bundle_of("kernelbench", fmt::format("L{}-{}", options.level, *id),
                  known == options.names.end() ? fmt::format("L{}/{}", options.level, *id) : known->second,
                  {{"level", options.level}, {"problem_id", *id}}, samples.dump());
    std::set<std::string> seen;
    for (const Json& row : samples) {
      const auto sample = kernelbench_sample(row);
      if (!sample) return wrong(fmt::format("problem {}: {}", *id, sample.error()));
      if (!seen.insert(sample->name).second)
        return wrong(fmt::format("problem {}: {} stands there twice", *id, sample->name));
      add(bundle, attempt_of(*sample, row, "kernelbench"));
      if (bundle.run.device.empty() && row.contains("metadata"))
        bundle.run.device = text_in(row["metadata"], "hardware");
    }
    out.push_back(std::move(bundle));
  }
  return out;
}

constexpr std::string_view kExecBenchHelp =
    R"(SOL-ExecBench writes traces, a JSON object a line: {"definition": "...", "workload": {"uuid": "...", ...}, )"
    R"("solution": "...", "evaluation": {"status": "PASSED", "performance": {"latency_ms": 1.25, ...}, ...}})";

struct Status {
  std::string_view name, label, reason;
};
constexpr std::array kStatus{Status{"PASSED", "unproven", "not_proven_here"},
                             Status{"INCORRECT_SHAPE", "incorrect", "wrong_shape"},
                             Status{"INCORRECT_NUMERICAL", "incorrect", "wrong_result"},
                             Status{"INCORRECT_DTYPE", "incorrect", "wrong_dtype"},
                             Status{"RUNTIME_ERROR", "broken", "crashed"},
                             Status{"COMPILE_ERROR", "broken", "build_failed"},
                             Status{"TIMEOUT", "broken", "timed_out"},
                             Status{"INVALID_REFERENCE", "broken", "reference_failed"},
                             Status{"REWARD_HACK", "gaming", "reward_hack"}};

tl::expected<Sample, std::string> trace_sample(const Json& row) {
  const Json& evaluation = row["evaluation"];
  const std::string said = text_in(evaluation, "status");
  const auto status = std::ranges::find(kStatus, said, &Status::name);
  if (status == kStatus.end())
    return tl::unexpected(said.empty() ? std::string("`evaluation.status` is missing")
                                       : fmt::format("`{}` is no status that is known", printable(said)));
  Sample out{text_in(row, "solution"), std::string(status->label), std::string(status->reason),
             fmt::format("{} by SOL-ExecBench's own check", said), 0};
  if (out.name.empty())
    return tl::unexpected(std::string("`solution` is missing, and there is an `evaluation`"));
  if (status->label != "unproven") return out;
  const Json performance = evaluation.value("performance", Json());
  const bool timed =
      performance.is_object() && performance.contains("latency_ms") && performance["latency_ms"].is_number();
  out.ms = timed ? performance["latency_ms"].get<double>() : -1;
  if (!(out.ms > 0 && out.ms <= kMostMs))
    return tl::unexpected(
        std::string("`evaluation.performance.latency_ms` is missing or no time in milliseconds"));
  return out;
}

// What is wrong with a line that should be a trace.
std::optional<std::string> trace_fault(const Json& row, std::string_view line) {
  if (!row.is_object()) return "this is no JSON object; was the file cut?";
  if (const auto key = repeated_key(line)) return fmt::format("`{}` stands there twice", printable(*key));
  if (text_in(row, "definition").empty()) return "`definition` is missing or no name";
  if (!row.contains("workload") || text_in(row["workload"], "uuid").empty())
    return "`workload.uuid` is missing";
  return std::nullopt;
}

Result<std::vector<Bundle>> read_traces(std::string_view text, std::string_view file, const ForeignOptions&) {
  size_t number = 0;
  const auto wrong = [&](const std::string& what) {
    return fail(fmt::format("{}:{}: {}", file, number, what), std::string(kExecBenchHelp), 2);
  };
  std::vector<std::pair<std::string, std::vector<std::pair<Sample, Json>>>> problems;
  std::set<std::string> seen;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const Json row = Json::parse(line, nullptr, false);
    if (const auto fault = trace_fault(row, line)) return wrong(*fault);
    // A workload by itself is no result.
    if (!row.contains("evaluation") || row["evaluation"].is_null()) continue;
    const auto sample = trace_sample(row);
    if (!sample) return wrong(sample.error());
    if (!seen.insert(row.dump(-1, ' ', false, Json::error_handler_t::replace)).second)
      return wrong("this line stands there twice");
    const std::string key = text_in(row, "definition") + "\n" + text_in(row["workload"], "uuid");
    auto at = std::ranges::find(problems, key, [](const auto& each) { return each.first; });
    if (at == problems.end()) at = problems.insert(problems.end(), {key, {}});
    at->second.emplace_back(*sample, row);
  }
  if (problems.empty()) return wrong("no result is there");
  std::vector<Bundle> out;
  for (const auto& [key, samples] : problems) {
    const std::string definition = key.substr(0, key.find('\n'));
    const std::string uuid = key.substr(key.find('\n') + 1);
    std::string contents;
    for (const auto& [sample, row] : samples)
      contents += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    Bundle bundle = bundle_of("sol-execbench", short_hash(key).substr(0, 8),
                              fmt::format("{}@{}", definition, uuid.substr(0, 8)),
                              {{"definition", definition}, {"workload", uuid}}, contents);
    bundle.run.device =
        text_in(samples.front().second["evaluation"].value("environment", Json()), "hardware");
    for (const auto& [sample, row] : samples) add(bundle, attempt_of(sample, row, "sol-execbench"));
    out.push_back(std::move(bundle));
  }
  return out;
}

constexpr std::array kFormats{ForeignFormat{"kernelbench", true, read_kernelbench},
                              ForeignFormat{"sol-execbench", false, read_traces}};

}  // namespace

std::span<const ForeignFormat> foreign_formats() { return kFormats; }

const ForeignFormat* find_foreign(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &ForeignFormat::name);
  return found == kFormats.end() ? nullptr : &*found;
}

std::string_view looks_like(std::string_view text) {
  const Json line = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (line.is_object() && line.contains("definition") && line.contains("workload")) return "sol-execbench";
  const Json all = Json::parse(text, nullptr, false);
  if (!all.is_object() || all.empty()) return {};
  for (const auto& [key, value] : all.items()) {
    if (!whole_number(key) || !(value.is_array() || value.is_object())) return {};
  }
  return "kernelbench";
}

}  // namespace uc::results
