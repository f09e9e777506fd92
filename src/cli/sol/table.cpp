#include "cli/sol/table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>

#include "base/parallel.h"
#include "cli/output.h"
#include "cli/sol/subject.h"
#include "import/captures.h"
#include "platform/files.h"
#include "report/times.h"
#include "sol/quantity.h"
#include "sol/several.h"

namespace uc::cli {
namespace {

using nlohmann::ordered_json;
using Key = std::pair<int64_t, int64_t>;

/// A column of measured times of f32 problems, and how it multiplied. (Under autocast results are f16, and
/// `model.half()` is another problem.)
struct Column {
  std::string_view name;
  std::string_view math;
};
constexpr std::array<Column, 3> kColumns{
    {{"eager_fp32_ms", "f32"}, {"eager_tf32_ms", "tf32"}, {"compile_tf32_ms", "tf32"}}};

struct Row {
  std::string path;
  std::optional<Error> error;
  std::optional<int64_t> level, id;
  SolReport report;
  std::vector<std::pair<const Column*, double>> times;  // microseconds
  double best_us = 0;                                   // of those multiplied as f32 or tf32; 0: none
  double over = 0;                                      // best / certified
};

double bound_of(const SolReport& report, std::string_view math) {
  const auto found = std::ranges::find(report.what_if, math, &SolWhatIf::math);
  return found == report.what_if.end() ? 0 : found->certified.total_us;
}

// ---- what is asked

Result<std::vector<std::string>> expanded(const Context& context, const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    const bool one = !context.files.list(path) || context.files.exists(path + "/problem.json") ||
                     context.files.exists(path + "/problem.py");
    if (one) {
      out.push_back(path);
      continue;
    }
    const auto found = find_captures(context.files, path);
    if (!found) return tl::unexpected(found.error());
    for (const std::string& each : *found) out.push_back(path + "/" + each);
  }
  return out;
}

Result<std::map<Key, nlohmann::json>> read_times(const Context& context, const std::string& path) {
  std::map<Key, nlohmann::json> out;
  if (path.empty()) return out;
  const auto text = read_input(context, path);
  if (!text) return tl::unexpected(text.error());
  size_t number = 0;
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\n', at), text->size());
    const auto row = nlohmann::json::parse(text->begin() + static_cast<std::ptrdiff_t>(at),
                                           text->begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    ++number;
    const auto whole = [&row](const char* key) {
      return row.is_object() && row.contains(key) && row[key].is_number_integer();
    };
    if (end > at && (!whole("level") || !whole("id"))) {
      return fail(fmt::format("{}:{} is no JSON object with level and id", path, number),
                  "one object a line, as in data/pytorch_h200.jsonl");
    }
    for (const Column& column : kColumns) {
      const auto field = end > at ? row.find(column.name) : row.end();
      if (field == row.end() || !field->is_number()) continue;
      if (const double us = field->get<double>() * 1000; !(us >= kLeastTime && us <= kMostTime))
        return fail(fmt::format("{}:{}: `{}` is no number from 1e-06 to 1e+09", path, number, column.name),
                    "times are milliseconds, as in data/pytorch_h200.jsonl");
    }
    if (end > at) out[{row["level"], row["id"]}] = row;
    at = end + 1;
  }
  return out;
}

void add_times(const std::map<Key, nlohmann::json>& times, Row& row) {
  const auto found = times.find({row.level.value_or(-1), row.id.value_or(-1)});
  if (found == times.end()) return;
  for (const Column& column : kColumns) {
    const auto field = found->second.find(column.name);
    if (field == found->second.end() || !field->is_number()) continue;
    const double us = field->get<double>() * 1000;
    row.times.emplace_back(&column, us);
    if (row.best_us == 0 || us < row.best_us) row.best_us = us;
  }
  if (row.report.certified.total_us > 0) row.over = row.best_us / row.report.certified.total_us;
}

Row row_of(const Context& context, const SolSuite& suite, const DeviceSpec& device,
           const std::map<Key, nlohmann::json>& times, const std::string& path) {
  Row row;
  row.path = path;
  const auto subject = load_subject(context, path);
  if (!subject) {
    row.error = subject.error();
    return row;
  }
  row.level = subject->level;
  row.id = subject->id;
  SolOptions options = suite.options;
  if (!options.precision && subject->is_problem) options.precision = Precision::tf32;
  const auto fine = require_units(context.catalog, subject->program, device,
                                  options.precision.value_or(subject->program.precision));
  if (!fine) {
    row.error = fine.error();
    return row;
  }
  row.report = speed_of_light(context.catalog, subject->program, device, options);
  if (suite.output.format != "html") row.report.steps.clear();
  add_times(times, row);
  return row;
}

constexpr size_t kMostThreads = 8;  // each holds a problem in memory

std::vector<Row> rows_of(const Context& context, const SolSuite& suite, const DeviceSpec& device,
                         const std::map<Key, nlohmann::json>& times, const std::vector<std::string>& paths) {
  std::vector<Row> rows(paths.size());
  parallel_for(
      paths.size(), [&](size_t i) { rows[i] = row_of(context, suite, device, times, paths[i]); },
      kMostThreads);
  return rows;
}

// Columns whose time lies below the bound of how they multiplied.
std::vector<std::string> impossible(const Row& row) {
  std::vector<std::string> out;
  for (const auto& [column, us] : row.times) {
    if (us < bound_of(row.report, column->math)) out.emplace_back(column->name);
  }
  return out;
}

// ---- what is shown

ordered_json json_of(const Row& row) {
  ordered_json out{{"schema", "ucutlass.sol-row/1"}, {"path", row.path}};
  if (row.error) {
    out["error"] = row.error->message;
    out["help"] = row.error->help;
    return out;
  }
  const SolReport& report = row.report;
  out["program"] = report.program;
  if (row.level) out["level"] = *row.level;
  if (row.id) out["id"] = *row.id;
  out["device"] = report.device;
  out["precision"] = name(report.precision);
  out["dense_flops"] = report.work.dense_flops;
  out["minimum_flops"] = report.minimum.minimum_flops;
  out["read_bytes"] = report.minimum.read_bytes;
  out["write_bytes"] = report.minimum.write_bytes;
  out["certified_us"] = report.certified.total_us;
  out["by"] = report.certified.by;
  out["promised_us"] = report.promised.total_us;
  out["calibrated_us"] = report.calibrated.total_us;
  for (const SolLevel& level : report.levels)
    out["levels_us"][std::string(level.name)] = level.theoretical_us;
  for (const SolWhatIf& each : report.what_if)
    out["certified_as_us"][std::string(each.math)] = each.certified.total_us;
  out["coverage"] = report.coverage;
  out["uncovered"] = report.uncovered;
  std::set<std::string> rules;
  for (const SolRule& rule : report.rules) rules.insert(fmt::format("{} ({})", rule.id, name(rule.holds)));
  out["rules"] = rules;
  for (const auto& [column, us] : row.times) out["times_us"][std::string(column->name)] = us;
  if (row.over > 0) out["best_over_certified"] = row.over;
  if (!row.times.empty()) out["below_bound"] = impossible(row);
  return out;
}

std::string name_of(const Row& row) { return row.report.program.empty() ? row.path : row.report.program; }

void show_row(std::ostream& out, const Row& row, size_t width, bool times) {
  if (row.error) {
    out << fmt::format("{:<{}}  error: {}\n", row.path, width, row.error->message);
    return;
  }
  const SolReport& report = row.report;
  out << fmt::format("{:<{}} {:>10.2f} {:>10.2f} {:>12} {:<8} {:>12} {:>5.0f}%", name_of(row), width,
                     report.minimum.minimum_flops / 1e9,
                     (report.minimum.read_bytes + report.minimum.write_bytes) / 1e6,
                     column_duration(report.certified.total_us), report.certified.by,
                     column_duration(report.calibrated.total_us), report.coverage * 100);
  if (times) {
    out << fmt::format(" {:>12} {:>8}", row.best_us > 0 ? column_duration(row.best_us) : "-",
                       row.over > 0 ? fmt::format("{:.2f}", row.over) : "-");
  }
  out << "\n";
}

// Where times are from, and when they were taken.
std::string source_of(const std::string& path, const std::map<Key, nlohmann::json>& times) {
  std::string first;
  std::string last;
  for (const auto& [key, row] : times) {
    const std::string date = row.contains("date") && row["date"].is_string() ? row["date"] : "";
    if (date.empty()) continue;
    first = first.empty() ? date : std::min(first, date);
    last = std::max(last, date);
  }
  return fmt::format("{}, {}", path,
                     first.empty()   ? "date not recorded"
                     : first == last ? first
                                     : first + " to " + last);
}

void show_extremes(std::ostream& out, const std::vector<Row>& rows, size_t width, const std::string& source) {
  std::vector<const Row*> held;
  for (const Row& row : rows) {
    if (row.over > 0) held.push_back(&row);
  }
  std::ranges::sort(held, {}, &Row::over);
  const size_t most = std::min<size_t>(10, held.size());
  out << fmt::format("\ntimes: {}\ntightest: the best f32 or tf32 time over the certified bound\n", source);
  for (size_t i = 0; i < most; ++i) show_row(out, *held[i], width, true);
  out << "\nloosest\n";
  for (size_t i = 0; i < most; ++i) show_row(out, *held[held.size() - 1 - i], width, true);
}

// `source` of times: empty without any.
void show(std::ostream& out, const std::vector<Row>& rows, const std::string& source) {
  const bool times = !source.empty();
  size_t width = 8;
  for (const Row& row : rows) width = std::max(width, std::min<size_t>(56, name_of(row).size()));
  out << fmt::format("{:<{}} {:>10} {:>10} {:>12} {:<8} {:>12} {:>6}{}\n", "problem", width, "GFLOP", "MB",
                     "certified", "by", "calibrated", "known",
                     times ? fmt::format(" {:>12} {:>8}", "best time", "x bound") : "");
  for (const Row& row : rows) show_row(out, row, width, times);
  if (times) show_extremes(out, rows, width, source);
}

Result<> write(const Context& context, const SolSuite& suite, const std::vector<Row>& rows,
               const std::vector<CalibratedDevice>& devices, const std::string& source) {
  if (suite.output.format == "html") {
    std::vector<DeviceBounds> bounds;
    for (const Row& row : rows) {
      bounds.push_back({row.report, row.error ? row.error->message : ""});
      bounds.back().report.program = name_of(row);
      if (row.error) bounds.back().report.device_name = devices.front().spec().full_name;
    }
    return write_sol(context, suite.output, bounds, devices);
  }
  std::ostringstream text;
  if (suite.json) {
    for (const Row& row : rows) text << json_of(row).dump() << "\n";
  } else {
    show(text, rows, source);
  }
  return write_sol(context, suite.output, text.str());
}

}  // namespace

int sol_suite(const Context& context, const SolSuite& suite) {
  const auto paths = expanded(context, suite.paths);
  if (!paths) return report(context, paths.error(), suite.json);
  const auto times = read_times(context, suite.times);
  if (!times) return report(context, times.error(), suite.json);
  const auto devices = chosen_devices(context, suite.device, Program().target);
  if (!devices) return report(context, devices.error(), suite.json);
  if (devices->size() > 1)
    return report(context, Error{"a suite is bounded on one device", "name one with --device", kUsage},
                  suite.json);
  const std::vector<Row> rows = rows_of(context, suite, devices->front().spec(), *times, *paths);
  const std::string source = times->empty() ? "" : source_of(suite.times, *times);
  if (const auto written = write(context, suite, rows, *devices, source); !written)
    return report(context, written.error(), suite.json);
  bool findings = false;
  bool below = false;
  for (const Row& row : rows) {
    findings = findings || row.error || (suite.strict && row.report.coverage < 1);
    if (suite.strict && !row.error) say_uncovered(context, row.path, row.report);
    for (const std::string& column : impossible(row)) {
      below = true;
      context.err << fmt::format("{}: {} lies below its bound\n", row.path, column);
    }
  }
  return below ? kRejected : findings ? kFindings : kDone;
}

}  // namespace uc::cli
