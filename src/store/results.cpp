#include "store/results.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schedule/labels.h"
#include "store/json_keys.h"
#include "store/result_fields.h"

namespace uc::results {
namespace {
constexpr std::string_view kHelp =
    "`ucutlass export` writes such files: docs/schemas/results.schema.json; export anew if this one was cut";
constexpr std::array<std::string_view, 3> kCounts{"attempts", "lessons", "exchanges"};

// Becomes part of file names and of lock names.
bool safe_id(const std::string& id) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !id.empty() && id.size() <= 120 && id.front() != '.' && std::ranges::all_of(id, fine) &&
         id != "last" && id != "all";
}

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Result<std::vector<Bundle>> read(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      ++line_;
      if (trim(line).empty()) continue;
      const Json row = Json::parse(line, nullptr, false);
      if (!row.is_object()) return wrong("this is no JSON object");
      if (const auto key = repeated_key(line))
        return wrong(fmt::format("`{}` stands there twice", printable(*key)));
      if (auto done = expected_ == SIZE_MAX ? head(row) : record(row); !done)
        return tl::unexpected(done.error());
    }
    if (expected_ == SIZE_MAX) return wrong("nothing is there");
    if (auto whole = end(); !whole) return tl::unexpected(whole.error());
    return std::move(out_);
  }

 private:
  struct Announced {
    std::array<int64_t, 3> counts{};
  };

  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(fmt::format("{}:{}: {}", file_, line_, what), std::string(kHelp), 2);
  }

  Result<> head(const Json& row) {
    const bool ours = row.contains("schema") && row["schema"] == kSchema;
    if (!ours) return wrong(fmt::format("the first line does not say \"schema\": \"{}\"", kSchema));
    int64_t runs = 0;
    if (!take(row, "runs", runs)) return wrong("`runs` is no number of runs");
    expected_ = static_cast<size_t>(runs);
    return {};
  }

  Result<> record(const Json& row) {
    if (row.size() != 1 || !row.begin()->is_object())
      return wrong(
          "this is none of {\"run\": {...}}, {\"attempt\": ...}, {\"lesson\": ...}, {\"exchange\": ...}");
    const std::string kind = row.begin().key();
    const Json& from = *row.begin();
    if (kind == "run") return run(from);
    if (kind == "attempt") return attempt(from);
    if (kind == "lesson")
      return part(from, kLessonFields, LessonRecord{}, &Bundle::lessons,
                  [](const auto&, const auto&) { return std::string(); });
    if (kind == "exchange")
      return part(from, kExchangeFields, ExchangeRecord{}, &Bundle::exchanges, numbered<ExchangeRecord>);
    return wrong(fmt::format("`{}` is none of run, attempt, lesson, exchange", printable(kind)));
  }

  Result<> run(const Json& from) {
    Bundle bundle;
    if (const auto fault = take_fields(kRunFields, from, {kCounts.begin(), kCounts.end()}, bundle.run))
      return wrong("run: " + *fault);
    if (!safe_id(bundle.run.id))
      return wrong(fmt::format("`{}` is no id of a run", printable(bundle.run.id)));
    Announced announced;
    for (size_t i = 0; i < kCounts.size(); ++i) {
      const std::string key(kCounts[i]);
      if (!take(from, key.c_str(), announced.counts[i]))
        return wrong(fmt::format("run: `{}` is no number of them", key));
    }
    if (!places_.emplace(bundle.run.id, out_.size()).second)
      return wrong(fmt::format("run {} stands there twice", bundle.run.id));
    announced_.push_back(announced);
    out_.push_back(std::move(bundle));
    return {};
  }

  // What is wrong with a number: not from 1 on, or there already.
  template <class Record>
  static std::string numbered(const std::vector<Record>& before, const Record& record) {
    if (record.number < 1) return "`number` is not from 1 on";
    // In order in what we write, so the last one tells; whoever orders otherwise is searched.
    const bool twice = !before.empty() && before.back().number >= record.number &&
                       std::ranges::find(before, record.number, &Record::number) != before.end();
    return twice ? fmt::format("number {} stands there twice", record.number) : std::string();
  }

  Result<> attempt(const Json& from) {
    return part(from, kAttemptFields, AttemptRecord{}, &Bundle::attempts,
                [](const std::vector<AttemptRecord>& before, const AttemptRecord& record) {
                  if (!schedule::is_label(record.label))
                    return fmt::format("`label` is none of {}", fmt::join(schedule::kLabels, ", "));
                  if (record.parent >= record.number && record.number > 0)
                    return std::string("`parent` is no attempt before it");
                  return numbered(before, record);
                });
  }

  template <class Record, size_t N, class Check>
  Result<> part(const Json& from, const std::array<Field<Record>, N>& fields, Record record,
                std::vector<Record> Bundle::* to, Check check) {
    if (const auto fault = take_fields(fields, from, {}, record)) return wrong(*fault);
    const auto place = places_.find(record.run);
    if (place == places_.end())
      return wrong(fmt::format("run `{}` is not in a line before", printable(record.run)));
    std::vector<Record>& all = out_[place->second].*to;
    if (const std::string fault = check(all, record); !fault.empty()) return wrong(fault);
    all.push_back(std::move(record));
    return {};
  }

  Result<> end() const {
    const auto less = [this](std::string_view what, size_t there, size_t said) {
      return fail(fmt::format("{} holds {} {} of {}: it was cut, or put together", file_, there, what, said),
                  std::string(kHelp), 2);
    };
    if (out_.size() != expected_) return less("runs", out_.size(), expected_);
    for (size_t i = 0; i < out_.size(); ++i) {
      const std::array<size_t, 3> there{out_[i].attempts.size(), out_[i].lessons.size(),
                                        out_[i].exchanges.size()};
      for (size_t k = 0; k < there.size(); ++k) {
        if (const auto said = static_cast<size_t>(announced_[i].counts[k]); there[k] != said)
          return less(fmt::format("{} of run {}", kCounts[k], out_[i].run.id), there[k], said);
      }
    }
    return {};
  }

  std::string_view file_;
  size_t line_ = 0;
  size_t expected_ = SIZE_MAX;  ///< runs; SIZE_MAX: the first line is not read yet
  std::vector<Bundle> out_;
  std::vector<Announced> announced_;
  std::map<std::string, size_t, std::less<>> places_;
};

template <class Record, size_t N>
std::string line_of(const char* kind, const std::array<Field<Record>, N>& fields, const Record& record) {
  Json values = Json::object();
  put_fields(fields, record, values);
  return Json{{kind, std::move(values)}}.dump() + "\n";
}

std::string lines_of(const Bundle& bundle) {
  Json run = Json::object();
  put_fields(kRunFields, bundle.run, run);
  run["attempts"] = bundle.attempts.size();
  run["lessons"] = bundle.lessons.size();
  run["exchanges"] = bundle.exchanges.size();
  std::string out = Json{{"run", std::move(run)}}.dump() + "\n";
  for (const AttemptRecord& each : bundle.attempts) out += line_of("attempt", kAttemptFields, each);
  for (const LessonRecord& each : bundle.lessons) out += line_of("lesson", kLessonFields, each);
  for (const ExchangeRecord& each : bundle.exchanges) out += line_of("exchange", kExchangeFields, each);
  return out;
}

}  // namespace

std::string write(std::span<const Bundle> bundles) {
  std::string out = Json{{"schema", kSchema}, {"runs", bundles.size()}}.dump() + "\n";
  for (const Bundle& each : bundles) out += lines_of(each);
  return out;
}

bool is_results(std::string_view text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), size_t{4096}));
  const Json row = Json::parse(line, nullptr, false);
  return row.is_object() && row.contains("schema") && row["schema"].is_string() &&
         row["schema"].get_ref<const std::string&>().starts_with("ucutlass.results/");
}

Result<std::vector<Bundle>> read(std::string_view text, std::string_view file) {
  return Reader(file).read(text);
}

}  // namespace uc::results
