// `ucutlass calibrate`: the best rates of this machine's GPU, kept for bounds.
#include <fmt/format.h>
#include <ostream>

#include "base/text.h"
#include "cli/calibrate/benchmarks.h"
#include "cli/calibrate/measured.h"
#include "cli/options.h"
#include "cli/output.h"
#include "platform/files.h"
#include "platform/lock.h"
#include "platform/process.h"
#include "platform/toolchain.h"
#include "store/calibrations.h"
#include "store/place.h"

namespace uc::embedded {
std::string_view measuring(std::string_view file);
}

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass calibrate                          # measure this GPU; `sol` and `optimize` use it from then "
    "on\n"
    "ucutlass calibrate --quick                  # a minute: memory, scalar pipes, PyTorch's products\n"
    "ucutlass calibrate -o h200.json             # also write the calibration there\n"
    "ucutlass calibrate --build --programs DIR   # compile the benchmarks alone, where nvcc and CUTLASS are\n"
    "ucutlass calibrate --programs DIR           # and measure with them on a machine without CUTLASS\n";

struct Settings {
  int64_t index = 0;
  bool quick = false;
  bool build = false;
  bool json = false;
  std::string programs;  // empty: in the data folder
  std::string out;
};

// A folder that goes when the command ends.
struct Scratch {
  Files& files;
  std::string path;
  ~Scratch() { (void)files.remove(path); }
};

Result<ProcessOutput> run(const Context& context, std::vector<std::string> argv, std::string_view what,
                          Millis deadline) {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  spec.deadline = deadline;
  spec.env = {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};  // indices as nvidia-smi's
  auto done = context.processes.run(spec);
  if (!done || done->end.ok()) return done;
  return fail(fmt::format("{}: {}", what, describe(done->end)), done->err.substr(0, 2000));
}

Result<> require_gpu(const Context& context) {
  if (context.files.exists("/dev/nvidiactl") || context.files.exists("/dev/nvidia0")) return {};
  return fail("this machine has no NVIDIA GPU that programs can open",
              "run it where the GPU is; rates that ship with the program: ucutlass explain h200", kMissing);
}

// Memory, pipes, launches.
Result<> measure_rates(const Context& context, const Settings& settings, const std::string& folder,
                       Measured& to) {
  const std::string nvcc = find_cuda_program("nvcc", context.environment, context.files);
  if (nvcc.empty())
    return fail("nvcc is missing: it compiles what measures", "install the CUDA toolkit: ucutlass doctor",
                kMissing);
  const std::string source = folder + "/rates.cu";
  const std::string program = folder + "/rates";
  auto written = context.files.write(source, embedded::measuring("rates.cu"));
  if (!written) return written;
  context.err << "compiling what measures\n";
  const auto built = run(context, {nvcc, "-std=c++17", "-O3", "-arch=native", source, "-o", program, "-ldl"},
                         "nvcc", std::chrono::minutes(5));
  if (!built) return tl::unexpected(built.error());
  context.err << "measuring memory, scalar pipes and launches\n";
  std::vector<std::string> argv{program, std::to_string(settings.index)};
  if (settings.quick) argv.emplace_back("quick");
  const auto done = run(context, std::move(argv), "what measures", std::chrono::minutes(3));
  if (!done) return tl::unexpected(done.error());
  add_lines(done->out, to);
  return {};
}

// PyTorch is a rate seen as well; without it there is a word and no rate.
void measure_products(const Context& context, const Settings& settings, const std::string& folder,
                      Measured& to) {
  const std::string python = find_python(context.environment);
  const std::string script = folder + "/products.py";
  const auto written = context.files.write(script, embedded::measuring("products.py"));
  if (python.empty() || !written) {
    to.warnings.emplace_back("no python: PyTorch's products are not measured");
    return;
  }
  context.err << "measuring PyTorch's products\n";
  std::vector<std::string> argv{python, script, std::to_string(settings.index)};
  if (settings.quick) argv.emplace_back("quick");
  const auto done = run(context, std::move(argv), python, std::chrono::minutes(4));
  if (done) {
    add_lines(done->out, to);
  } else {
    to.warnings.push_back(
        fmt::format("PyTorch's products are not measured: {}",
                    done.error().help.empty() ? done.error().message : done.error().help.substr(0, 300)));
  }
}

void measure_own(const Context& context, const Settings& settings, const DeviceSpec& device, Measured& to) {
  if (!context.catalog.emits_for(device) || settings.programs.empty()) return;
  const std::string folder = settings.programs;
  const auto built = build_benchmarks(context, folder);
  if (!built) to.warnings.push_back("own kernels are not built: " + built.error().message);
  run_benchmarks(context, folder, settings.index, to);
}

Result<const DeviceSpec*> row_of(const Catalog& catalog, const MeasuredGpu& gpu) {
  std::string known;
  for (const DeviceSpec* row : catalog.devices()) {
    if (row->full_name == gpu.name) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row->full_name);
  }
  return fail(fmt::format("no device row is named as this GPU: `{}`", gpu.name),
              "devices with rows: " + known + "; one more is a row in src/devices");
}

// What was not measured here is taken from what ships, and what proven kernels taught stays.
void keep_known(const Context& context, const DeviceSpec& device, Calibration& seen) {
  const auto add_missing = [&](const Calibration& from) {
    std::vector<SeenRate> more;
    for (const SeenRate& each : from.products) {
      if (best_of(seen.products, each.what) == nullptr) more.push_back(each);
    }
    seen.products.insert(seen.products.end(), more.begin(), more.end());
  };
  const auto path = calibration_path(context.environment, device.name);
  if (path && context.files.exists(*path)) {
    const auto before = active_calibration(context.files, context.environment, device, *path);
    if (before && before->calibration) keep_proven(*before->calibration, seen);
  }
  if (const auto shipped = shipped_calibration(device.name)) add_missing(*shipped);
}

struct Row {
  std::vector<SeenRate> Calibration::* kind;
  std::string_view what, unit;
};

// What was reached, how much of the theoretical rate that is, and what was known before.
void show_rate(const Context& context, const Row& row, const Calibration& seen, const DeviceSpec& device) {
  const SeenRate* best = best_of(seen.*row.kind, row.what);
  if (best == nullptr) return;
  const double peak = theoretical_rate(device, row.kind, row.what);
  const auto shipped = shipped_calibration(device.name);
  const SeenRate* before = shipped ? best_of((*shipped).*row.kind, row.what) : nullptr;
  context.out << fmt::format(
      "{:<8} {:>9.4g} {:<8} {:>5.1f} %  {:>9}  {:>8}  {:>8}  {}{}{}\n", row.what, best->best, row.unit,
      100 * best->best / peak, best->median > 0 ? fmt::format("{:.4g}", best->median) : "",
      best->sm_mhz > 0 ? fmt::format("{:.0f} MHz", best->sm_mhz) : "",
      before == nullptr ? "" : fmt::format("{:.4g}", before->best), best->by,
      best->shape.empty() ? "" : ", " + best->shape, best->data.empty() ? "" : ", " + best->data);
}

void show(const Context& context, const Calibration& seen, const DeviceSpec& device) {
  context.out << fmt::format("{} ({}), driver {}, {}\n", device.name, seen.gpu, seen.driver, seen.date)
              << fmt::format("{:<8} {:>9} {:<8} {:>7}  {:>9}  {:>8}  {:>8}  {}\n", "", "best", "", "of peak",
                             "median", "SM clock", "shipped", "by");
  for (const std::string_view mix : {"copy", "read", "write", "triad"})
    show_rate(context, {&Calibration::memory, mix, "TB/s"}, seen, device);
  for (const std::string_view pipe : {"fma", "half", "special", "integer"})
    show_rate(context, {&Calibration::pipes, pipe, "T/s"}, seen, device);
  for (const UnitRate& rate : device.rates)
    show_rate(context, {&Calibration::products, name(rate.math), "TFLOP/s"}, seen, device);
  context.out << fmt::format("launch   {:>9.4g} us\n", seen.launch_us);
}

struct Card {
  std::string driver;
  std::unique_ptr<Lock> token;  // nobody else measures on it meanwhile
};

Result<Card> take_card(const Context& context, const Settings& settings, Measured& to) {
  Card card;
  const auto smi = run(context,
                       {"nvidia-smi", "--query-gpu=driver_version,uuid", "--format=csv,noheader", "-i",
                        std::to_string(settings.index)},
                       "nvidia-smi", std::chrono::seconds(20));
  const std::string_view line = smi ? std::string_view(smi->out) : std::string_view();
  const std::vector<std::string_view> fields = split(line, ',');
  if (fields.size() != 2) {
    to.warnings.emplace_back("nvidia-smi does not name the GPU: another measurement on it is not noticed");
    return card;
  }
  card.driver = std::string(trim(fields[0]));
  auto token = file_locks()->acquire(fmt::format("gpu-{}", trim(fields[1])), std::chrono::minutes(10));
  if (!token) return tl::unexpected(token.error());
  card.token = std::move(*token);
  return card;
}

// Everything that can be measured here; the row that it is of.
Result<const DeviceSpec*> measure(const Context& context, const Settings& settings, Measured& to) {
  auto folder = context.files.make_temporary_folder("ucutlass-calibrate");
  if (!folder) return tl::unexpected(folder.error());
  const Scratch scratch{context.files, *folder};
  const auto card = take_card(context, settings, to);
  if (!card) return tl::unexpected(card.error());
  const auto done = measure_rates(context, settings, *folder, to);
  if (!done) return tl::unexpected(done.error());
  auto device = row_of(context.catalog, to.gpu);
  if (!device) return device;
  measure_products(context, settings, *folder, to);
  measure_own(context, settings, **device, to);
  finish(**device, to);
  for (const std::string& each : differences(to.gpu, **device))
    to.warnings.push_back("this GPU is not as its row says: " + each);
  to.seen.date = date_of(context.clock.wall_seconds());
  to.seen.source = settings.quick ? "ucutlass calibrate --quick" : "ucutlass calibrate";
  to.seen.driver = card->driver;
  keep_known(context, **device, to.seen);
  return device;
}

int calibrate(const Context& context, const Settings& settings) {
  const auto gpu = require_gpu(context);
  if (!gpu) return report(context, gpu.error(), settings.json);
  Measured measured;
  const auto device = measure(context, settings, measured);
  for (const std::string& warning : measured.warnings) context.err << "warning: " << warning << "\n";
  if (!device) return report(context, device.error(), settings.json);
  const Calibration& seen = measured.seen;
  if (!settings.out.empty() && !(settings.json && settings.out == "-")) {
    const auto copied = write_output(context, settings.out, calibration_json(seen));
    if (!copied) return report(context, copied.error(), settings.json);
  }
  const auto saved = save_calibration(context.files, context.environment, **device, seen);
  if (!saved) return report(context, saved.error(), settings.json);
  if (settings.json) {
    context.out << calibration_json(seen);
  } else {
    show(context, seen, **device);
    context.out << "kept in " << *saved << "\n";
  }
  return kDone;
}

int run_calibrate(const Invocation& invocation) {
  Settings settings;
  Options options(invocation);
  options.value("--device-index", settings.index, "N", "which GPU of this machine", 0, 1023);
  options.flag("--quick", settings.quick, "fewer runs and shapes; own kernels only with --programs");
  options.value("--programs", settings.programs, "FOLDER",
                "where the benchmarks of our own kernels are, or go (default: the data folder)");
  options.flag("--build", settings.build, "compile the benchmarks and stop: needs no GPU",
               Options::From::command_line);
  options.value("-o,--out", settings.out, "FILE", "also write the calibration there",
                Options::From::command_line);
  options.flag("--json", settings.json, "the calibration: schema ucutlass.calibration/1");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  if (settings.programs.empty() && (settings.build || !settings.quick)) {
    const auto data = data_folder(context.environment);
    if (!data) return report(context, data.error(), settings.json);
    settings.programs = *data + "/calibration/programs";
  }
  if (!settings.build) return calibrate(context, settings);
  const auto built = build_benchmarks(context, settings.programs);
  if (!built) return report(context, built.error(), settings.json);
  context.out << settings.programs << "\n";
  return kDone;
}

constexpr CommandSpec kRows[] = {{"calibrate", CommandGroup::machine,
                                  "measure the best rates of this machine's GPU", kExamples, run_calibrate}};

}  // namespace

std::span<const CommandSpec> calibrate_command_rows() { return kRows; }

}  // namespace uc::cli
