#pragma once
// Why: what a line of results holds is said once, and written and read by that.
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/exchanges.h"
#include "store/store.h"

namespace uc::results {

using Json = nlohmann::ordered_json;

/// A field of a record: its key, and where it is.
template <class Record>
struct Field {
  const char* key;
  std::variant<std::string Record::*, int64_t Record::*, double Record::*, bool Record::*, RunState Record::*,
               TimeKind Record::*>
      at;
};

inline constexpr std::array kRunFields{Field<RunRecord>{"id", &RunRecord::id},
                                       Field<RunRecord>{"source", &RunRecord::source},
                                       Field<RunRecord>{"problem", &RunRecord::problem},
                                       Field<RunRecord>{"problem_path", &RunRecord::problem_path},
                                       Field<RunRecord>{"problem_hash", &RunRecord::problem_hash},
                                       Field<RunRecord>{"options", &RunRecord::options},
                                       Field<RunRecord>{"device", &RunRecord::device},
                                       Field<RunRecord>{"folder", &RunRecord::folder},
                                       Field<RunRecord>{"version", &RunRecord::version},
                                       Field<RunRecord>{"baselines", &RunRecord::baselines},
                                       Field<RunRecord>{"summary", &RunRecord::summary},
                                       Field<RunRecord>{"state", &RunRecord::state},
                                       Field<RunRecord>{"started", &RunRecord::started},
                                       Field<RunRecord>{"ended", &RunRecord::ended}};

inline constexpr std::array kAttemptFields{
    Field<AttemptRecord>{"run", &AttemptRecord::run},
    Field<AttemptRecord>{"number", &AttemptRecord::number},
    Field<AttemptRecord>{"parent", &AttemptRecord::parent},
    Field<AttemptRecord>{"proposer", &AttemptRecord::proposer},
    Field<AttemptRecord>{"rewrite", &AttemptRecord::rewrite},
    Field<AttemptRecord>{"hypothesis", &AttemptRecord::hypothesis},
    Field<AttemptRecord>{"cause", &AttemptRecord::cause},
    Field<AttemptRecord>{"expected_speedup", &AttemptRecord::expected_speedup},
    Field<AttemptRecord>{"program", &AttemptRecord::program},
    Field<AttemptRecord>{"program_hash", &AttemptRecord::program_hash},
    Field<AttemptRecord>{"kernel_hashes", &AttemptRecord::kernel_hashes},
    Field<AttemptRecord>{"diagnostics", &AttemptRecord::diagnostics},
    Field<AttemptRecord>{"build_log", &AttemptRecord::build_log},
    Field<AttemptRecord>{"label", &AttemptRecord::label},
    Field<AttemptRecord>{"reason", &AttemptRecord::reason},
    Field<AttemptRecord>{"message", &AttemptRecord::message},
    Field<AttemptRecord>{"correctness", &AttemptRecord::correctness},
    Field<AttemptRecord>{"time_kind", &AttemptRecord::time_kind},
    Field<AttemptRecord>{"time_us", &AttemptRecord::time_us},
    Field<AttemptRecord>{"timing", &AttemptRecord::timing},
    Field<AttemptRecord>{"started", &AttemptRecord::started},
    Field<AttemptRecord>{"ended", &AttemptRecord::ended}};

inline constexpr std::array kLessonFields{Field<LessonRecord>{"run", &LessonRecord::run},
                                          Field<LessonRecord>{"problem", &LessonRecord::problem},
                                          Field<LessonRecord>{"rewrite", &LessonRecord::rewrite},
                                          Field<LessonRecord>{"device", &LessonRecord::device},
                                          Field<LessonRecord>{"kind", &LessonRecord::kind},
                                          Field<LessonRecord>{"expected", &LessonRecord::expected},
                                          Field<LessonRecord>{"observed", &LessonRecord::observed},
                                          Field<LessonRecord>{"conditions", &LessonRecord::conditions},
                                          Field<LessonRecord>{"text", &LessonRecord::text},
                                          Field<LessonRecord>{"created", &LessonRecord::created}};

inline constexpr std::array kExchangeFields{
    Field<ExchangeRecord>{"run", &ExchangeRecord::run},
    Field<ExchangeRecord>{"number", &ExchangeRecord::number},
    Field<ExchangeRecord>{"attempt", &ExchangeRecord::attempt},
    Field<ExchangeRecord>{"kind", &ExchangeRecord::kind},
    Field<ExchangeRecord>{"model", &ExchangeRecord::model},
    Field<ExchangeRecord>{"request", &ExchangeRecord::request},
    Field<ExchangeRecord>{"response", &ExchangeRecord::response},
    Field<ExchangeRecord>{"failure", &ExchangeRecord::failure},
    Field<ExchangeRecord>{"prompt_tokens", &ExchangeRecord::prompt_tokens},
    Field<ExchangeRecord>{"answer_tokens", &ExchangeRecord::answer_tokens},
    Field<ExchangeRecord>{"usd", &ExchangeRecord::usd},
    Field<ExchangeRecord>{"estimated", &ExchangeRecord::estimated},
    Field<ExchangeRecord>{"started", &ExchangeRecord::started},
    Field<ExchangeRecord>{"ended", &ExchangeRecord::ended}};

// Puts a value under a key.
void put(Json& to, const char* key, const std::string& value);
void put(Json& to, const char* key, int64_t value);
void put(Json& to, const char* key, double value);
void put(Json& to, const char* key, bool value);
void put(Json& to, const char* key, RunState value);
void put(Json& to, const char* key, TimeKind value);

// False: there is no such key, or what is there is not of that type.
bool take(const Json& from, const char* key, std::string& to);
bool take(const Json& from, const char* key, int64_t& to);
bool take(const Json& from, const char* key, double& to);
bool take(const Json& from, const char* key, bool& to);
bool take(const Json& from, const char* key, RunState& to);
bool take(const Json& from, const char* key, TimeKind& to);

bool has(const Json& from, const char* key);
/// The first key that is none of `known`.
std::optional<std::string> other_key(const Json& from, const std::vector<std::string_view>& known);

template <class Record, size_t N>
void put_fields(const std::array<Field<Record>, N>& fields, const Record& record, Json& to) {
  for (const Field<Record>& field : fields)
    std::visit([&](auto at) { put(to, field.key, record.*at); }, field.at);
}

/// What is wrong with `from`; nothing: it was read. Keys of `more` are not for the record.
template <class Record, size_t N>
std::optional<std::string> take_fields(const std::array<Field<Record>, N>& fields, const Json& from,
                                       std::vector<std::string_view> more, Record& to) {
  for (const Field<Record>& field : fields) {
    if (!has(from, field.key)) return std::string("`") + field.key + "` is missing";
    const bool fits = std::visit([&](auto at) { return take(from, field.key, to.*at); }, field.at);
    if (!fits) return std::string("`") + field.key + "` is not what it should be";
    more.push_back(field.key);
  }
  if (const auto key = other_key(from, more)) return "there is no field `" + *key + "`";
  return std::nullopt;
}

}  // namespace uc::results
