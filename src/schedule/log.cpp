#include "schedule/log.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schedule/labels.h"

namespace uc::schedule {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kHelp =
    R"(lines are JSON objects, of a problem {"problem": "L1/1", "reference_us": 100, "sol_us": 20}, and of each attempt )"
    R"({"problem": "L1/1", "label": "ok", "us": 55, "tokens": 3000, "seconds": 40}: docs/schemas/attempt_log.schema.json)";

constexpr double kMost = 1e15;

class LineReader {
 public:
  LineReader(std::string_view file, AttemptLog& log) : file_(file), log_(log) {}

  Result<> read(const Json& row, size_t line) {
    line_ = line;
    if (!row.is_object()) return wrong("this is no JSON object");
    if (!row.contains("problem") || !row["problem"].is_string() ||
        row["problem"].get_ref<const std::string&>().empty())
      return wrong("`problem` is no name");
    LoggedProblem& at = problem(row["problem"]);
    const bool facts = row.contains("reference_us") || row.contains("sol_us");
    if (!facts && !row.contains("label"))
      return wrong("neither the times of a problem nor the `label` of an attempt");
    if (facts) {
      if (auto read = times(row, at); !read) return read;
    }
    return row.contains("label") ? attempt(row, at) : Result<>{};
  }

  Result<> end() const {
    if (log_.empty()) return fail(fmt::format("{} holds no problem", file_), std::string(kHelp));
    for (const LoggedProblem& each : log_) {
      if (each.reference_us <= 0)
        return fail(fmt::format("{}: `{}` has attempts, and no line with its `reference_us` and `sol_us`",
                                file_, each.name),
                    std::string(kHelp));
    }
    return {};
  }

 private:
  tl::unexpected<Error> wrong(std::string_view what) const {
    return fail(fmt::format("{}:{}: {}", file_, line_, what), std::string(kHelp));
  }

  LoggedProblem& problem(const std::string& name) {
    const auto [at, added] = places_.emplace(name, log_.size());
    if (added) log_.push_back({name, 0, 0, {}});
    return log_[at->second];
  }

  Result<> times(const Json& row, LoggedProblem& at) const {
    const auto reference = positive(row, "reference_us");
    const auto sol = positive(row, "sol_us");
    if (!reference || !sol) return tl::unexpected(reference ? sol.error() : reference.error());
    if (at.reference_us > 0 && (at.reference_us != *reference || at.sol_us != *sol))
      return wrong(fmt::format("`{}` had other times before", at.name));
    at.reference_us = *reference;
    at.sol_us = *sol;
    return {};
  }

  Result<> attempt(const Json& row, LoggedProblem& at) const {
    if (!row["label"].is_string() || !is_label(row["label"].get_ref<const std::string&>()))
      return wrong(fmt::format("`label` is none of {}", fmt::join(kLabels, ", ")));
    LoggedAttempt out;
    const std::string& label = row["label"].get_ref<const std::string&>();
    out.accepted = label == "ok" || label == "minor";
    if (out.accepted) {
      const auto us = positive(row, "us");
      if (!us) return tl::unexpected(us.error());
      out.time_us = *us;
    }
    for (const auto& [key, to] : {std::pair{"tokens", &out.tokens}, std::pair{"seconds", &out.seconds}}) {
      if (!row.contains(key)) continue;
      const double value = row[key].is_number() ? row[key].get<double>() : -1;
      if (!(value >= 0 && value <= kMost)) return wrong(fmt::format("`{}` is no number from 0 on", key));
      *to = value;
    }
    at.attempts.push_back(out);
    return {};
  }

  Result<double> positive(const Json& row, const char* key) const {
    const double value = row.contains(key) && row[key].is_number() ? row[key].get<double>() : 0;
    if (!(value > 0 && value <= kMost)) return wrong(fmt::format("`{}` is no number above 0", key));
    return value;
  }

  std::string_view file_;
  AttemptLog& log_;
  size_t line_ = 0;
  std::map<std::string, size_t> places_;
};

}  // namespace

Result<AttemptLog> read_log(std::string_view text, std::string_view file) {
  AttemptLog out;
  LineReader reader(file, out);
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    if (auto read = reader.read(Json::parse(line, nullptr, false), number); !read)
      return tl::unexpected(read.error());
  }
  if (auto whole = reader.end(); !whole) return tl::unexpected(whole.error());
  return out;
}

std::string write_log(const AttemptLog& log) {
  std::string out;
  for (const LoggedProblem& problem : log) {
    out += Json{{"problem", problem.name}, {"reference_us", problem.reference_us}, {"sol_us", problem.sol_us}}
               .dump() +
           "\n";
    for (const LoggedAttempt& each : problem.attempts) {
      Json line{{"problem", problem.name}, {"label", each.accepted ? "ok" : "broken"}};
      if (each.accepted) line["us"] = each.time_us;
      if (each.tokens > 0) line["tokens"] = each.tokens;
      if (each.seconds > 0) line["seconds"] = each.seconds;
      out += line.dump() + "\n";
    }
  }
  return out;
}

bool has_tokens(const AttemptLog& log) {
  return std::ranges::any_of(log, [](const LoggedProblem& problem) {
    return std::ranges::any_of(problem.attempts, [](const LoggedAttempt& each) { return each.tokens > 0; });
  });
}

}  // namespace uc::schedule
