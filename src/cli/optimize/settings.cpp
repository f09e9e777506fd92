#include "cli/optimize/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

bool has_gpu(const Context& context) {
  return context.files.exists("/dev/nvidiactl") || context.files.exists("/dev/nvidia0");
}

// The row of the machine's GPU. Only Hopper rows emit kernels; another card is told so by the judge's own
// device check.
const DeviceSpec* gpu_row(const Context& context) { return context.catalog.device_of_target("sm_90a"); }

std::string known_devices(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const DeviceSpec* row : catalog.devices()) {
    if (catalog.emits_for(*row)) names.push_back(fmt::format("model:{}", row->name));
  }
  return fmt::format("auto, gpu, cuda:N, {}", fmt::join(names, ", "));
}

}  // namespace

Result<Target> target_of(const OptimizeSettings& settings, const Context& context) {
  Target out;
  std::string device = settings.device;
  if (device == "auto") device = has_gpu(context) ? "gpu" : "model:h200";
  if (starts_with(device, "model:")) {
    out.device = context.catalog.device(device.substr(6));
    if (out.device == nullptr)
      return fail(fmt::format("no device is named `{}`", device.substr(6)),
                  "devices: " + known_devices(context.catalog), kUsage);
    if (!context.catalog.emits_for(*out.device))
      return fail(fmt::format("no kernels are made for {} ({}) yet", out.device->name, out.device->arch),
                  fmt::format("its bounds: ucutlass sol PROBLEM --device {}; devices: {}", out.device->name,
                              known_devices(context.catalog)),
                  kUsage);
    return out;
  }
  if (device != "gpu" && !starts_with(device, "cuda:"))
    return fail(fmt::format("`{}` is no device", device), "devices: " + known_devices(context.catalog),
                kUsage);
  if (!has_gpu(context))
    return fail("this machine has no NVIDIA GPU that programs can open",
                "model times instead: --device model:h200", kMissing);
  out.gpu = true;
  out.eval_device = device == "gpu" ? "cuda:0" : device;
  out.device = gpu_row(context);
  return out;
}

std::string settings_json(const OptimizeSettings& settings) {
  return nlohmann::json{{"problem", settings.problem},     {"source", settings.source},
                        {"device", settings.device},       {"precision", settings.precision},
                        {"baselines", settings.baselines}, {"attempts", settings.attempts},
                        {"seed", settings.seed},           {"no_prepack", settings.no_prepack}}
      .dump();
}

Result<OptimizeSettings> parse_settings(const std::string& json) {
  const auto from = nlohmann::json::parse(json, nullptr, false);
  OptimizeSettings out;
  const bool whole = from.is_object() && from.contains("problem") && from["problem"].is_string() &&
                     from.contains("attempts") && from["attempts"].is_number_integer();
  if (!whole) return fail("the run's options cannot be read", "start a new run of its problem");
  out.problem = from["problem"];
  out.attempts = from["attempts"];
  const auto text = [&](const char* key) {
    return from.contains(key) && from[key].is_string() ? from[key].get<std::string>() : std::string();
  };
  out.source = text("source");
  out.device = text("device");
  out.precision = text("precision");
  if (from.contains("seed") && from["seed"].is_number_integer()) out.seed = from["seed"];
  if (from.contains("no_prepack") && from["no_prepack"].is_boolean()) out.no_prepack = from["no_prepack"];
  if (from.contains("baselines") && from["baselines"].is_array()) {
    for (const auto& each : from["baselines"]) {
      if (each.is_string()) out.baselines.push_back(each);
    }
  }
  return out;
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kMarks = "_./:=,+@%-";
  const auto plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  return "'" + replace_all(text, "'", "'\\''") + "'";
}

std::string command_line(const OptimizeSettings& settings) {
  std::string out = fmt::format("ucutlass optimize {} --device {} --attempts {} --precision {} --seed {}",
                                shell_word(settings.problem), settings.device, settings.attempts,
                                settings.precision, settings.seed);
  if (!settings.source.empty()) out += " --source " + shell_word(settings.source);
  if (settings.no_prepack) out += " --no-prepack";
  if (!settings.baselines.empty()) out += " --baselines " + join(settings.baselines, ",");
  if (!settings.store.empty()) out += " --store " + shell_word(settings.store);
  return out;
}

}  // namespace uc::cli
