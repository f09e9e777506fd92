// `ucutlass sol`: how fast could this be on that device, and how far from it is a measured time.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "cli/bounded_devices.h"
#include "cli/output.h"
#include "cli/sol/subject.h"
#include "cli/sol/table.h"
#include "cli/sol_output.h"
#include "compiler/pipeline.h"
#include "diag/render.h"
#include "platform/files.h"
#include "report/times.h"
#include "sol/several.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass sol prog.uc                          # bounds of a program on the device of its target\n"
    "ucutlass sol problem.py                       # of a PyTorch problem: multiplied as tf32 unless told "
    "otherwise\n"
    "ucutlass sol prog.uc --time 0.35              # and how far 0.35 ms is from them\n"
    "ucutlass sol prog.uc --time 0.35 --base 0.51  # with the SOL score against a baseline\n"
    "ucutlass sol problem.py --device h200,b200    # on several devices, a row each; or --device all\n"
    "ucutlass sol problem.py --reach 0.5           # what a device would need to take 0.5 ms, and which have "
    "it\n"
    "ucutlass sol prog.uc --precision f16 --json   # for machines: schema ucutlass.sol/1\n"
    "ucutlass sol problem.py -o bound.html         # a page with the roofline, all operators and rules\n"
    "ucutlass sol data/kernelbench --against data/pytorch_h200.jsonl  # a suite, a row each, against "
    "PyTorch\n";

constexpr double kLeastMs = kLeastTime / 1000, kMostMs = kMostTime / 1000;

struct Settings {
  std::vector<std::string> paths;
  std::string times;
  DeviceChoice device;
  std::string precision;
  double time_ms = 0, base_ms = 0, clock_mhz = 0, reach_ms = 0;  // 0: not given
  SolOutput output;
  bool json = false;
  bool strict = false;
};

SolOptions options_of(const Settings& settings) {
  SolOptions options;
  options.precision = parse_precision(settings.precision);
  if (settings.clock_mhz > 0) options.clock_mhz = settings.clock_mhz;
  if (settings.time_ms > 0) options.time_us = settings.time_ms * 1000;
  if (settings.base_ms > 0) options.base_us = settings.base_ms * 1000;
  return options;
}

int exit_code(const Settings& settings, const SolReport& bounds) {
  if (bounds.verdict && bounds.verdict->word == "impossible") return kRejected;
  return settings.strict && bounds.coverage < 1 ? kFindings : kDone;
}

// What was given is read whole before anything is written.
std::vector<std::string> inputs_of(const Settings& settings) {
  std::vector<std::string> out = settings.paths;
  out.insert(out.end(), settings.output.times.begin(), settings.output.times.end());
  out.insert(out.end(), {settings.times, settings.device.calibration});
  return out;
}

// A device that lacks a unit has a row that says so.
std::vector<DeviceBounds> rows_of(const Context& context, const std::vector<CalibratedDevice>& devices,
                                  const SolOptions& options, const Program& program) {
  std::vector<DeviceBounds> out;
  for (const CalibratedDevice& device : devices) {
    DeviceBounds row;
    const auto fine =
        require_units(context.catalog, program, device.spec(), options.precision.value_or(program.precision));
    row.report = speed_of_light(context.catalog, program, device.spec(), options);
    if (!fine) row.missing = fine.error().message;
    out.push_back(std::move(row));
  }
  return out;
}

int show_reach(const Context& context, const Settings& settings, const SolReport& bounds,
               const Program& program) {
  if (settings.output.format == "html")
    return report(context, Error{"--reach has no page", "write it as text or with --json", kUsage});
  const auto devices = all_devices(context);
  if (!devices) return report(context, devices.error(), settings.json);
  SolOptions options = options_of(settings);
  options.clock_mhz.reset();  // of one device
  const auto rows = rows_of(context, *devices, options, program);
  const double time_us = settings.reach_ms * 1000;
  const auto written = write_sol(context, settings.output,
                                 settings.json ? sol_reach_json(bounds, time_us, rows)
                                               : sol_reach_text(bounds, time_us, rows, context.color_out));
  if (!written) return report(context, written.error(), settings.json);
  return exit_code(settings, bounds);
}

// A bound is of one choice of the sizes that a launch may choose.
void say_sizes(const Context& context, const Program& program) {
  std::vector<std::string> chosen;
  for (size_t i = 0; i < program.chosen.size(); ++i)
    chosen.push_back(fmt::format("{} = {} of {}..{}", program.dims[i].name, program.chosen[i],
                                 program.dims[i].low, program.dims[i].high));
  if (!chosen.empty()) context.err << fmt::format("bounds are at {}\n", fmt::join(chosen, ", "));
}

int show(const Context& context, const Settings& settings, const Program& program) {
  say_sizes(context, program);
  const auto devices = chosen_devices(context, settings.device, program.target);
  if (!devices) return report(context, devices.error(), settings.json);
  const SolOptions options = options_of(settings);
  if (devices->size() > 1 && settings.reach_ms == 0) {
    const auto rows = rows_of(context, *devices, options, program);
    if (const auto written = write_sol(context, settings.output, rows, *devices); !written)
      return report(context, written.error(), settings.json);
    if (settings.strict) say_uncovered(context, program.name, rows.front().report);
    // A time was taken on one of them: it is impossible when it is on all.
    int least = kRejected;
    int most = kDone;
    for (const DeviceBounds& row : rows) {
      if (!row.missing.empty()) continue;
      least = std::min(least, exit_code(settings, row.report));
      most = std::max(most, exit_code(settings, row.report));
    }
    return most == kRejected ? least : most;
  }
  const DeviceSpec& device = devices->front().spec();
  const auto fine =
      require_units(context.catalog, program, device, options.precision.value_or(program.precision));
  if (!fine) return report(context, fine.error(), settings.json);
  const SolReport bounds = speed_of_light(context.catalog, program, device, options);
  if (settings.strict) say_uncovered(context, program.name, bounds);
  if (settings.reach_ms > 0) return show_reach(context, settings, bounds, program);
  if (const auto written = write_sol(context, settings.output, bounds, device); !written)
    return report(context, written.error(), settings.json);
  return exit_code(settings, bounds);
}

// Published times of f32 problems use tf32: that is the default.
int show(const Context& context, Settings settings, const Result<SolSubject>& subject) {
  if (!subject) return report(context, subject.error(), settings.json);
  if (subject->is_problem && settings.precision.empty()) settings.precision = "tf32";
  return show(context, settings, subject->program);
}

int program(const Context& context, const Settings& settings, const std::string& source) {
  const Compiled compiled = resolve_source(context.catalog, source);
  if (compiled.ok()) return show(context, settings, compiled.program);
  const auto diags = compiled.diags.sorted();
  const std::string file = settings.paths[0] == "-" ? "<stdin>" : settings.paths[0];
  if (settings.json) {
    context.out << render_json(diags, source, file);
  } else {
    context.err << render_text(diags, source, file, {.color = context.color_err});
  }
  return kFindings;
}

int one(const Context& context, const Settings& settings) {
  const std::string& path = settings.paths[0];
  if (path.ends_with(".py") || context.files.list(path))
    return show(context, settings, load_subject(context, path));
  const auto source = read_input(context, path);
  if (!source) return report(context, source.error(), settings.json);
  if (!is_capture(path, *source)) return program(context, settings, *source);
  const auto subject = captured_subject(context, *source);
  if (subject) return show(context, settings, subject);
  Error error = subject.error();
  error.message = fmt::format("{}: {}", path == "-" ? "<stdin>" : path, error.message);
  return report(context, error, settings.json);
}

// A folder that holds no problem of its own holds captures.
bool is_suite(const Context& context, const Settings& settings) {
  const std::string& path = settings.paths[0];
  return settings.paths.size() > 1 || !settings.times.empty() ||
         (context.files.list(path) && !context.files.exists(path + "/problem.json") &&
          !context.files.exists(path + "/problem.py"));
}

int suite(const Context& context, const Settings& settings) {
  if (settings.time_ms > 0 || settings.base_ms > 0 || settings.reach_ms > 0) {
    return report(
        context,
        Error{"--time, --base and --reach are about one program", "of a suite --against FILE.jsonl", kUsage},
        settings.json);
  }
  return sol_suite(context, {settings.paths, settings.device, settings.times, options_of(settings),
                             settings.output, settings.json, settings.strict});
}

int run_sol(const Invocation& invocation) {
  Settings settings;
  Options options(invocation);
  options.positionals("PROGRAM.uc|PROBLEM", settings.paths,
                      "a program; a capture (.json), a PyTorch problem (.py) or a folder that holds "
                      "problem.json; or - for standard input; several, or a folder of captures: a row each");
  bounded_devices_options(options, invocation.context.catalog, settings.device);
  options.choice("--precision", settings.precision, {"strict", "tf32", "f16", "bf16", "f8"},
                 "the least accurate way that f32 data may be multiplied (default: the program's own; tf32 "
                 "for problems)");
  options.value("--time", settings.time_ms, "MS", "a measured time to judge, milliseconds", kLeastMs,
                kMostMs);
  options.value("--base", settings.base_ms, "MS", "a baseline's time, for the SOL score", kLeastMs, kMostMs);
  options.value(
      "--against", settings.times, "FILE",
      "of a suite: measured times, as data/pytorch_h200.jsonl has them; fails when one is below its "
      "bound");
  options.value("--reach", settings.reach_ms, "MS",
                "what a device would need to take that time, and which devices have it", kLeastMs, kMostMs);
  options.value("--clock", settings.clock_mhz, "MHZ",
                "the SM clock that was held (default: the device's highest)", 100, 10000);
  sol_output_options(options, settings.output, settings.json);
  options.flag("--strict", settings.strict, "fail when some operator's work is not counted");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  if (const auto wrong = settle(settings.output, invocation, settings.json)) return report(context, *wrong);
  if (settings.reach_ms > 0 && settings.output.format == "html")
    return report(context, Error{"--reach has no page", "text or --json", kUsage});
  if (const auto spared = spare_inputs(settings.output.file, inputs_of(settings)); !spared)
    return report(context, spared.error(), settings.json);
  return is_suite(context, settings) ? suite(context, settings) : one(context, settings);
}

constexpr CommandSpec kRows[] = {
    {"sol", CommandGroup::performance, "bound what a device allows, and judge a time", kExamples, run_sol}};

}  // namespace

std::span<const CommandSpec> sol_command_rows() { return kRows; }

}  // namespace uc::cli
