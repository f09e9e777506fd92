#include "cli/sol_output.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "cli/optimize/settings.h"
#include "cli/output.h"
#include "eval/recorded_times.h"
#include "platform/files.h"
#include "report/sol_page.h"
#include "report/times.h"

namespace uc::cli {
namespace {

void take_times(const std::vector<ProblemTime>& all, std::string_view source, SolSubject& subject) {
  for (const ProblemTime& each : all) {
    const bool here = each.device.empty() || each.device == subject.report.device;
    if (!here || !names_problem(each.problem, subject.report.program)) continue;
    MeasuredTime time;
    time.name = each.what.empty() ? each.series : fmt::format("{} {}", each.series, each.what);
    time.time_us = each.time_us;
    time.precision = each.precision;
    time.modelled = each.modelled;
    time.own_io = each.own_io;
    time.note = each.date.empty() ? std::string(source) : fmt::format("{}, {}", source, each.date);
    subject.times.push_back(std::move(time));
  }
}

/// A file of times, read once however many subjects there are.
struct TimesFile {
  std::string source;  ///< for notes
  std::vector<ProblemTime> times;
};

Result<std::vector<TimesFile>> read_files(const Context& context, const SolOutput& output) {
  std::vector<TimesFile> out;
  if (output.times.empty()) {
    auto recorded = read_times(recorded_times(), kRecordedSource);
    if (!recorded) return tl::unexpected(recorded.error());
    out.push_back({std::string(kRecordedHow), std::move(*recorded)});
  }
  for (const std::string& path : output.times) {
    const auto text = read_input(context, path);
    if (!text) return tl::unexpected(text.error());
    auto times = read_times(*text, path);
    if (!times) return tl::unexpected(times.error());
    out.push_back({path, std::move(*times)});
  }
  return out;
}

constexpr size_t kMostTimes = 100;

void add_times(const std::vector<TimesFile>& files, SolSubject& subject, size_t& left_out) {
  if (!subject.report.program.empty()) {
    for (const TimesFile& file : files) take_times(file.times, file.source, subject);
  }
  // A page is for reading: of very many times the slowest say the least.
  if (subject.times.size() > kMostTimes) {
    std::ranges::stable_sort(subject.times, {}, &MeasuredTime::time_us);
    left_out += subject.times.size() - kMostTimes;
    subject.times.resize(kMostTimes);
  }
  if (subject.report.verdict)
    subject.times.push_back({"given", subject.report.verdict->time_us, subject.report.precision, false, true,
                             "given by --time", true});
}

// A page of subjects; `devices` holds one for all, or one each.
Result<std::string> page_of(const Context& context, const SolOutput& output,
                            std::span<const DeviceBounds> rows, std::span<const DeviceSpec* const> devices) {
  const auto files = read_files(context, output);
  if (!files) return tl::unexpected(files.error());
  std::vector<SolSubject> subjects;
  size_t found = 0, left_out = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    SolSubject& subject = subjects.emplace_back();
    subject.report = rows[i].report;
    subject.device = devices[devices.size() == 1 ? 0 : i];
    subject.command = output.command;
    subject.missing = rows[i].missing;
    if (!subject.missing.empty()) continue;
    add_times(*files, subject, left_out);
    found += subject.times.size();
  }
  if (!output.times.empty() && found == 0)
    return fail(
        fmt::format("no time of `{}`{} on {} in {}", rows[0].report.program, rows.size() > 1 ? ", ..." : "",
                    rows[0].report.device, fmt::join(output.times, ", ")),
        "lines of times name problems as captures do: docs/schemas/times.schema.json");
  if (left_out > 0)
    context.err << fmt::format("not shown: {} slower times: a page has the {} fastest of a problem\n",
                               left_out, kMostTimes);
  return sol_html(subjects);
}

}  // namespace

void sol_output_options(Options& options, SolOutput& output, bool& json) {
  options.choice("--format", output.format, {"text", "json", "html"},
                 "text, one JSON object, or a page with the roofline (default: by the end of -o)",
                 Options::From::command_line);
  options.flag("--json", json, "the same as --format json: schema ucutlass.sol/1");
  options.value("-o,--out", output.file, "FILE", "where to (default: standard output)",
                Options::From::command_line);
  options.list(
      "--times", output.times, "FILE.jsonl",
      "measured times for the page, ucutlass.times/1 (default: PyTorch's that ship with the program)");
}

std::optional<Error> settle(SolOutput& output, const Invocation& invocation, bool& json) {
  if (json && !output.format.empty() && output.format != "json")
    return Error{fmt::format("--json and --format {} contradict each other", output.format), "leave one out",
                 kUsage};
  if (json) output.format = "json";
  if (output.file == "-") output.file.clear();
  if (output.format.empty()) {
    const std::string end = std::filesystem::path(output.file).extension().string();
    if (!end.empty() && end != ".html" && end != ".json" && end != ".txt")
      return Error{fmt::format("what shall {} hold?", output.file),
                   "end it in .html, .json or .txt, or say it with --format", kUsage};
    output.format = output.file.ends_with(".html")   ? "html"
                    : output.file.ends_with(".json") ? "json"
                                                     : "text";
  }
  json = output.format == "json";
  if (!output.times.empty() && output.format != "html")
    return Error{"--times is for pages", "add --format html, or judge one time with --time MS", kUsage};
  output.command = "ucutlass " + std::string(invocation.command.name);
  for (const std::string& each : invocation.args) output.command += " " + shell_word(each);
  return {};
}

void say_uncovered(const Context& context, std::string_view name, const SolReport& report) {
  if (!(report.coverage < 1)) return;
  context.err << fmt::format("{}{}not counted: {}\n", name, name.empty() ? "" : ": ",
                             fmt::join(report.uncovered, ", "));
}

Result<> write_sol(const Context& context, const SolOutput& output, std::string_view text) {
  return write_output(context, output.file, text);
}

Result<> write_sol(const Context& context, const SolOutput& output, const SolReport& report,
                   const DeviceSpec& device) {
  if (output.format == "json") return write_sol(context, output, sol_json(report));
  if (output.format != "html")
    return write_sol(context, output, sol_text(report, output.file.empty() && context.color_out));
  const DeviceBounds row{report, {}};
  const DeviceSpec* only = &device;
  const auto page = page_of(context, output, {&row, 1}, {&only, 1});
  return page ? write_sol(context, output, *page) : tl::unexpected(page.error());
}

Result<> write_sol(const Context& context, const SolOutput& output, std::span<const DeviceBounds> rows,
                   std::span<const CalibratedDevice> devices) {
  if (output.format == "json") return write_sol(context, output, sol_array_json(rows));
  if (output.format != "html")
    return write_sol(context, output, sol_table(rows, output.file.empty() && context.color_out));
  std::vector<const DeviceSpec*> specs;
  for (const CalibratedDevice& each : devices) specs.push_back(&each.spec());
  const auto page = page_of(context, output, rows, specs);
  return page ? write_sol(context, output, *page) : tl::unexpected(page.error());
}

}  // namespace uc::cli
