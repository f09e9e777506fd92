#include "report/times.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "eval/recorded_times.h"

namespace uc {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kHelp =
    R"(a line is a JSON object like {"problem": "level1/1_Square_matrix_multiplication_", "time_ms": 0.342, )"
    R"("precision": "tf32"}: docs/schemas/times.schema.json)";

bool holds_controls(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
}

class LineReader {
 public:
  LineReader(std::string_view file, size_t line, const Json& row) : file_(file), line_(line), row_(row) {}

  Result<> read(std::vector<ProblemTime>& out) const {
    if (!row_.is_object()) return wrong("this is no JSON object");
    for (const char* key : {"problem", "name", "series", "what", "device", "date", "kind", "precision"}) {
      if (row_.contains(key) && !row_[key].is_string()) return wrong(fmt::format("`{}` is no text", key));
      if (row_.contains(key) && holds_controls(row_[key].get_ref<const std::string&>()))
        return wrong(fmt::format("`{}` holds control characters", key));
    }
    return row_.contains("problem") ? one(out) : several(out);
  }

 private:
  tl::unexpected<Error> wrong(std::string_view what) const {
    return fail(fmt::format("{}:{}: {}", file_, line_, what), std::string(kHelp));
  }

  ProblemTime common() const {
    ProblemTime out;
    out.series = row_.value("series", "PyTorch");
    out.what = row_.value("what", "");
    out.device = row_.value("device", "");
    out.date = row_.value("date", "");
    return out;
  }

  Result<double> microseconds(const char* key, double unit) const {
    const double us = row_[key].is_number() ? row_[key].get<double>() * unit : 0;
    if (!(us >= kLeastTime && us <= kMostTime))
      return wrong(
          fmt::format("`{}` is no number from {:g} to {:g}", key, kLeastTime / unit, kMostTime / unit));
    return us;
  }

  Result<> one(std::vector<ProblemTime>& out) const {
    ProblemTime time = common();
    time.problem = row_["problem"];
    if (time.problem.empty()) return wrong("`problem` is empty");
    const bool ms = row_.contains("time_ms"), us = row_.contains("time_us");
    if (ms == us) return wrong("there must be either `time_ms` or `time_us`");
    const auto taken = ms ? microseconds("time_ms", 1e3) : microseconds("time_us", 1);
    if (!taken) return tl::unexpected(taken.error());
    time.time_us = *taken;
    const auto precision = parse_precision(row_.value("precision", "tf32"));
    if (!precision) return wrong("`precision` is none of strict, tf32, f16, bf16, f8");
    time.precision = *precision;
    const std::string kind = row_.value("kind", "measured");
    if (kind != "measured" && kind != "modelled") return wrong("`kind` is neither measured nor modelled");
    time.modelled = kind == "modelled";
    if (row_.contains("own_io") && !row_["own_io"].is_boolean()) return wrong("`own_io` is no truth value");
    time.own_io = row_.value("own_io", true);
    out.push_back(std::move(time));
    return {};
  }

  // A row of data/pytorch_h200.jsonl: a column for each way to run PyTorch.
  Result<> several(std::vector<ProblemTime>& out) const {
    if (!row_.contains("name")) return wrong("there is no `problem`");
    if (!row_.contains("level") || !row_["level"].is_number_integer()) return wrong("`level` is no number");
    ProblemTime time = common();
    time.problem = fmt::format("level{}/{}", row_["level"].get<int64_t>(), row_["name"].get<std::string>());
    if (time.device.empty()) time.device = kRecordedDevice;
    size_t found = 0;
    for (const RecordedColumn& column : recorded_columns()) {
      const std::string key(column.json);
      if (!row_.contains(key) || row_[key].is_null()) continue;
      const auto taken = microseconds(key.c_str(), 1e3);
      if (!taken) return tl::unexpected(taken.error());
      time.what = column.name;
      time.precision = column.precision;
      time.own_io = column.io == RecordedIo::own;
      time.time_us = *taken;
      out.push_back(time);
      ++found;
    }
    if (found == 0) return wrong("there is no time");
    return {};
  }

  std::string_view file_;
  size_t line_;
  const Json& row_;
};

}  // namespace

Result<std::vector<ProblemTime>> read_times(std::string_view text, std::string_view file) {
  std::vector<ProblemTime> out;
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const Json row = Json::parse(line, nullptr, false);
    if (auto read = LineReader(file, number, row).read(out); !read) return tl::unexpected(read.error());
  }
  if (out.empty()) return fail(fmt::format("{} holds no time", file), std::string(kHelp));
  return out;
}

bool within_licence(Precision precision, Precision licence) {
  if (precision == licence) return true;
  const bool sixteen = precision == Precision::f16 || precision == Precision::bf16;
  const bool both_sixteen = sixteen && (licence == Precision::f16 || licence == Precision::bf16);
  return !both_sixteen && precision < licence;
}

bool names_problem(std::string_view name, std::string_view path) {
  const auto ends = [](std::string_view whole, std::string_view part) {
    return whole.size() > part.size() && whole.ends_with(part) &&
           whole[whole.size() - part.size() - 1] == '/';
  };
  return path == name || ends(path, name) || ends(name, path);
}

}  // namespace uc
