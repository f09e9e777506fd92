// `ucutlass report`: pictures of a whole suite.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "catalog/catalog.h"
#include "cli/optimize/settings.h"
#include "cli/options.h"
#include "cli/output.h"
#include "eval/recorded_times.h"
#include "platform/files.h"
#include "report/light_speed.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass report light-speed                          # PyTorch's recorded times against the bounds\n"
    "ucutlass report light-speed -o light_speed.svg       # as a picture; .html adds a table of all points\n"
    "ucutlass report light-speed --store runs.db -o a.html  # with what `optimize` has proven, as arrows\n"
    "ucutlass report light-speed --times mine.jsonl --captures problems --device h100 --json\n";

struct Settings {
  std::string what;
  std::vector<std::string> times;
  std::string store, captures = "data/kernelbench", device = "h200", precision = "tf32", out, format;
  bool json = false;
};

// What makes this picture again, with what differs from the defaults.
std::string command_of(const Settings& settings) {
  const Settings plain;
  std::string out = "ucutlass report " + settings.what;
  const auto option = [&](std::string_view name, const std::string& value, const std::string& usual) {
    if (value != usual) out += fmt::format(" {} {}", name, shell_word(value));
  };
  for (const std::string& each : settings.times) option("--times", each, {});
  option("--store", settings.store, {});
  option("--captures", settings.captures, plain.captures);
  option("--device", settings.device, plain.device);
  option("--precision", settings.precision, plain.precision);
  return out;
}

Result<std::vector<ProblemTime>> read_all_times(const Context& context, const Settings& settings,
                                                LightSpeed& out) {
  if (settings.times.empty()) {
    if (settings.device != kRecordedDevice)
      return fail(fmt::format("no times are recorded for {}", settings.device),
                  "give them with --times FILE.jsonl (docs/schemas/times.schema.json)", kUsage);
    out.sources.push_back(fmt::format("{}, {}", kRecordedSource, kRecordedHow));
    return read_times(recorded_times(), kRecordedSource);
  }
  std::vector<ProblemTime> all;
  for (const std::string& path : settings.times) {
    const auto text = read_input(context, path);
    if (!text) return tl::unexpected(text.error());
    auto times = read_times(*text, path);
    if (!times) return tl::unexpected(times.error());
    std::string first, last;
    for (const ProblemTime& each : *times) {
      if (each.date.empty()) continue;
      first = first.empty() ? each.date : std::min(first, each.date);
      last = std::max(last, each.date);
    }
    out.sources.push_back(fmt::format("{}, {}", path,
                                      first.empty()   ? "date not recorded"
                                      : first == last ? first
                                                      : first + " to " + last));
    all.insert(all.end(), times->begin(), times->end());
  }
  return all;
}

Result<std::vector<ProvenTime>> read_store(const Context& context, const Settings& settings,
                                           LightSpeed& out) {
  if (settings.store.empty()) return std::vector<ProvenTime>{};
  if (!context.files.exists(settings.store))
    return fail(fmt::format("{} does not exist: no run is stored there", settings.store),
                "start one: `ucutlass optimize PROBLEM --store FILE`");
  auto store = Store::open_for_reading(settings.store, context.clock);
  if (!store) return tl::unexpected(store.error());
  auto times = proven_times(**store, settings.device);
  if (times && times->empty())
    out.left_out.push_back(fmt::format("{} holds no proven result on {}", settings.store, settings.device));
  if (times) out.sources.push_back(fmt::format("{}, programs that passed their checks", settings.store));
  return times;
}

// Everything that the picture shows.
Result<LightSpeed> gather(const Context& context, const Settings& settings, const DeviceSpec& device) {
  LightSpeed out;
  out.device = device.name;
  out.device_name = device.full_name;
  out.clock_mhz = device.boost_mhz;
  out.precision = parse_precision(settings.precision).value_or(Precision::tf32);
  out.command = command_of(settings);
  const auto times = read_all_times(context, settings, out);
  if (!times) return tl::unexpected(times.error());
  const auto proven = read_store(context, settings, out);
  if (!proven) return tl::unexpected(proven.error());
  std::vector<Precision> precisions{out.precision};
  for (const ProvenTime& each : *proven) {
    if (std::ranges::find(precisions, each.precision) == precisions.end())
      precisions.push_back(each.precision);
  }
  const auto bounds = bound_captures(context.catalog, context.files, settings.captures, device, precisions);
  if (!bounds) {
    Error error = bounds.error();
    if (!context.files.list(settings.captures)) error.help = "name the folder of captures with --captures";
    return tl::unexpected(std::move(error));
  }
  add_times(out, *bounds, *times);
  add_proven(out, *bounds, precisions, *proven);
  const bool any =
      std::ranges::any_of(out.series, [](const LightSeries& each) { return !each.points.empty(); });
  if (!any)
    return fail(fmt::format("no time on {} that {} allows belongs to a capture in {}", settings.device,
                            settings.precision, settings.captures),
                "name other times (--times), captures (--captures), or a licence (--precision)");
  return out;
}

Result<std::string> format_of(const Settings& settings) {
  if (settings.json) return std::string("json");
  if (!settings.format.empty()) return settings.format;
  if (settings.out.empty() || settings.out == "-") return std::string("text");
  if (settings.out.ends_with(".txt")) return std::string("text");
  for (const char* known : {"svg", "html", "json"}) {
    if (settings.out.ends_with(fmt::format(".{}", known))) return std::string(known);
  }
  return fail(fmt::format("what shall {} hold?", settings.out),
              "end it in .svg, .html, .json or .txt, or say it with --format", kUsage);
}

int light_speed(const Context& context, const Settings& settings) {
  const auto format = format_of(settings);
  if (!format) return report(context, format.error(), settings.json);
  const DeviceSpec* device = context.catalog.device(settings.device);
  if (device == nullptr)
    return report(context, Error{fmt::format("no device is named `{}`", settings.device), "", kUsage},
                  settings.json);
  std::vector<std::string> inputs = settings.times;
  inputs.insert(inputs.end(), {settings.store, settings.captures});
  if (const auto spared = spare_inputs(settings.out, inputs); !spared)
    return report(context, spared.error(), settings.json);
  const auto data = gather(context, settings, *device);
  if (!data) return report(context, data.error(), settings.json);
  const std::string text = *format == "svg"    ? light_speed_svg(*data)
                           : *format == "html" ? light_speed_html(*data)
                           : *format == "json" ? light_speed_json(*data)
                                               : light_speed_text(*data);
  if (const auto written = write_output(context, settings.out, text); !written)
    return report(context, written.error(), settings.json);
  for (const std::string& each : data->left_out) context.err << "not shown: " << each << "\n";
  const auto impossible = data->impossible();
  for (const LightPoint* each : impossible)
    context.err << fmt::format("faster than light: {}: {:.2f} us ({}), certified bound {:.2f} us ({})\n",
                               each->problem, each->time_us, each->what, each->bound_us,
                               name(each->precision));
  return impossible.empty() ? kDone : kRejected;
}

int run_report(const Invocation& invocation) {
  Settings settings;
  Options options(invocation);
  options.positional("light-speed", settings.what,
                     "light-speed: the certified bound of each problem against its measured time");
  options.suggest({"light-speed"});
  options.list(
      "--times", settings.times, "FILE.jsonl",
      "measured times, ucutlass.times/1 (default: PyTorch's that ship with the program, on one H200)");
  options.value("--store", settings.store, "FILE",
                "the runs of `optimize`: their proven programs as a second series");
  options.value("--captures", settings.captures, "DIR", "captured problems");
  device_option(options, invocation.context.catalog, settings.device, "whose bounds");
  options.choice(
      "--precision", settings.precision, {"strict", "tf32", "f16", "bf16", "f8"},
      "the least accurate way that f32 data may be multiplied: times of less accurate ways are left out");
  options.value("-o,--out", settings.out, "FILE", "where to: .svg, .html or .json (default: text, to stdout)",
                Options::From::command_line);
  options.choice("--format", settings.format, {"text", "svg", "html", "json"},
                 "what to write (default: by the end of -o)", Options::From::command_line);
  options.flag("--json", settings.json, "one JSON object of schema ucutlass.light_speed/1");
  if (const auto code = options.parse()) return *code;
  if (settings.what != "light-speed") {
    return report(invocation.context,
                  Error{fmt::format("there is no report `{}`", settings.what),
                        "there is: `ucutlass report light-speed`", kUsage},
                  settings.json);
  }
  return light_speed(invocation.context, settings);
}

constexpr CommandSpec kRows[] = {{"report", CommandGroup::performance,
                                  "show how far a suite is from the hardware's limit", kExamples,
                                  run_report}};

}  // namespace

std::span<const CommandSpec> report_command_rows() { return kRows; }

}  // namespace uc::cli
