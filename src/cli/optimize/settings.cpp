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
  nlohmann::json out{{"problem", settings.problem},     {"source", settings.source},
                     {"device", settings.device},       {"precision", settings.precision},
                     {"baselines", settings.baselines}, {"attempts", settings.attempts},
                     {"seed", settings.seed},           {"no_prepack", settings.no_prepack}};
  const OptimizeSettings usual;
  if (settings.proposer != usual.proposer) out["proposer"] = settings.proposer;
  if (settings.controller != usual.controller) out["controller"] = settings.controller;
  if (!settings.without.empty()) out["without"] = settings.without;
  if (!settings.llm.empty()) out["llm"] = nlohmann::json::parse(settings.llm, nullptr, false);
  if (settings.max_tokens > 0) out["max_tokens"] = settings.max_tokens;
  if (settings.max_usd > 0) out["max_usd"] = settings.max_usd;
  if (!settings.exchange.empty()) out["exchange"] = settings.exchange;
  if (settings.raw) out["raw"] = true;
  if (!settings.policy.empty()) out["policy"] = settings.policy;
  return out.dump();
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
  out.exchange = text("exchange");
  out.policy = text("policy");
  for (const auto& [key, to] :
       {std::pair{"proposer", &out.proposer}, std::pair{"controller", &out.controller}}) {
    if (const std::string said = text(key); !said.empty()) *to = said;
  }
  if (from.contains("raw") && from["raw"].is_boolean()) out.raw = from["raw"];
  if (from.contains("llm")) out.llm = from["llm"].dump();
  if (from.contains("max_tokens") && from["max_tokens"].is_number_integer())
    out.max_tokens = from["max_tokens"];
  if (from.contains("max_usd") && from["max_usd"].is_number()) out.max_usd = from["max_usd"];
  if (from.contains("seed") && from["seed"].is_number_integer()) out.seed = from["seed"];
  if (from.contains("no_prepack") && from["no_prepack"].is_boolean()) out.no_prepack = from["no_prepack"];
  const auto list = [&](const char* key, std::vector<std::string>& to) {
    if (!from.contains(key) || !from[key].is_array()) return;
    for (const auto& each : from[key]) {
      if (each.is_string()) to.push_back(each);
    }
  };
  list("baselines", out.baselines);
  list("without", out.without);
  return out;
}

RunOptions run_options(const OptimizeSettings& settings) {
  RunOptions out;
  out.precision = parse_precision(settings.precision).value_or(Precision::strict);
  out.attempts = static_cast<int>(settings.attempts);
  out.seed = static_cast<uint64_t>(settings.seed);
  out.prepack = !settings.no_prepack;
  out.build_jobs = static_cast<int>(settings.jobs);
  if (const ControllerSpec* row = find_controller(settings.controller)) out.controller = *row;
  for (const std::string& phase : settings.without) leave_out(out.controller, phase);
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
  const OptimizeSettings usual;
  if (settings.proposer != usual.proposer) out += " --proposer " + settings.proposer;
  if (settings.controller != usual.controller) out += " --controller " + settings.controller;
  if (!settings.without.empty()) out += " --without " + join(settings.without, ",");
  if (!settings.llm.empty()) out += " --llm " + shell_word(settings.llm);
  if (settings.max_tokens > 0) out += fmt::format(" --max-tokens {}", settings.max_tokens);
  if (settings.max_usd > 0) out += fmt::format(" --max-usd {}", settings.max_usd);
  if (settings.raw) out += " --raw";
  if (!settings.exchange.empty()) out += " --exchange " + shell_word(settings.exchange);
  if (!settings.store.empty()) out += " --store " + shell_word(settings.store);
  return out;
}

}  // namespace uc::cli
