#include "trial.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "check/backends.h"
#include "check/lower.h"
#include "check/multiplied.h"
#include "check/resolve.h"
#include "compiler/pipeline.h"
#include "emit/kernel_hash.h"
#include "emit/templates.h"
#include "plan/choose.h"
#include "plan/gemm2_choices.h"
#include "plan/smem_model.h"
#include "syntax/parser.h"

namespace uc::oracle {
namespace {

std::vector<std::string> error_ids(const DiagSink& diags) {
  std::set<std::string> ids;
  for (const Diag& diag : diags.diags()) {
    if (diag.severity == Severity::error) ids.insert(diag.id);
  }
  return {ids.begin(), ids.end()};
}

bool is_written(const Program& program, const Launch& launch, std::string_view knob) {
  const Knob* given = program[launch.step].knob(knob);
  if (given == nullptr) return false;
  const auto* word = given->settings.empty() ? nullptr : std::get_if<std::string>(&given->settings[0]);
  return word == nullptr || *word != "auto";
}

std::string modelled(const BackendSpec& backend, const Launch& launch, const DeviceSpec& device) {
  ContractionConfig config = std::get<ContractionConfig>(launch.config);
  const Launch seen = as_multiplied(on_backend(launch, backend));
  const auto& kernel = std::get<Contraction>(seen.kernel);
  if (backend.id == "cutlass3.contraction") {
    if (config.stages == 0) config.stages = stages_that_fit(kernel, config, device.smem_per_block);
    return fmt::format("stages {} smem {}", config.stages, kernel_shared_bytes(kernel, config));
  }
  const auto family = gemm2_family(kernel, backend.id.substr(0, backend.id.find('.')), device.arch);
  const Gemm2Tile* tile = family ? gemm2_tile(*family, kernel, config) : nullptr;
  if (tile == nullptr || config.stages == 0) return {};
  return fmt::format("stages {} smem {}", config.stages, gemm2_shared_bytes(kernel, *tile, config.stages));
}

// What a back end that sees no way leaves open.
void complete(ContractionConfig& config) {
  if (config.tile_m == 0) config.tile_m = config.tile_n = config.tile_k = 64;
  if (config.cluster_m == 0) config.cluster_m = config.cluster_n = 1;
  if (config.schedule != ContractionConfig::Schedule::automatic) return;
  config.schedule = config.tile_m % 128 == 0 ? ContractionConfig::Schedule::cooperative
                                             : ContractionConfig::Schedule::pingpong;
}

// Every contraction among the launches, emitted. What is automatic still is the back end's first choice,
// legal or not; its stages are CUTLASS's choice.
void emit(const Catalog& catalog, const Program& program, const std::vector<Launch>& launches, Trial& trial) {
  const DeviceSpec& device = *catalog.device_of_target(program.target);
  for (Launch launch : launches) {
    if (std::get_if<Contraction>(&launch.kernel) == nullptr) continue;
    if (!launch.emitted) {
      trial.no_source = "not emitted yet";
      return;
    }
    const BackendSpec* backend = backend_for(catalog, launch, device, &trial.no_source);
    if (backend == nullptr) return;
    if (!trial.accepted()) {
      const std::vector<Config> configs = backend->configs(launch, device);
      if (!configs.empty()) launch.config = configs.front();
      complete(std::get<ContractionConfig>(launch.config));
    }
    TrialKernel out;
    out.modelled = modelled(*backend, launch, device);
    out.shared_bytes = device.smem_per_block;
    if (!is_written(program, launch, "stages")) std::get<ContractionConfig>(launch.config).stages = 0;
    out.emitted = backend->emit(launch, device);
    out.launch = std::move(launch);
    if (out.emitted.needs_cutlass && out.emitted.has_host()) trial.kernels.push_back(std::move(out));
  }
  if (trial.kernels.empty()) trial.no_source = "no kernel of CUTLASS";
}

void force(const Catalog& catalog, Trial& trial) {
  DiagSink diags;
  diags.relax("UC19");
  const Program program = resolve(catalog, parse(trial.source, diags), diags);
  std::vector<Launch> launches;
  if (!diags.has_errors()) launches = lower(catalog, program, diags);
  if (diags.has_errors()) {
    trial.no_source = fmt::format("{}", fmt::join(error_ids(diags), " "));
    return;
  }
  emit(catalog, program, launches, trial);
}

void write(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

std::string fill_view(std::string_view target, const View& view, size_t tensor) {
  std::string out = fmt::format("  x.{}.data = uc_oracle::address({}, {}LL);\n", target, tensor,
                                view.offset * size_bytes(view.dtype));
  for (size_t i = 0; i < view.stride.size(); ++i)
    out += fmt::format("  x.{}.stride[{}] = {}LL;\n", target, i, view.stride[i]);
  return out;
}

// The namespace that a source declares CUTLASS's kernel in; empty: it declares none by that name.
std::string types_namespace(std::string_view source) {
  const size_t kernel = source.find("using Kernel =");
  if (kernel == std::string_view::npos) return {};
  constexpr std::string_view kOpen = "\nnamespace uck_";
  const size_t open = source.rfind(kOpen, kernel);
  if (open == std::string_view::npos) return {};
  const size_t begin = open + kOpen.size() - 4;
  return std::string(source.substr(begin, source.find(' ', begin) - begin));
}

// What a batch includes: the emitted host half once, and the sizes of this trial.
std::string probe_source(const Trial& trial, size_t index) {
  const TrialKernel& kernel = trial.kernels[index];
  const auto& gemm = std::get<Contraction>(kernel.launch.kernel);
  const auto& config = std::get<ContractionConfig>(kernel.launch.config);
  const std::string& hash = kernel.emitted.hash;
  const std::string id = fmt::format("{}_{}", trial.name, index);
  std::string out = fmt::format(
      "#ifndef UC_SEEN_{0}\n#define UC_SEEN_{0}\n#include \"uc_intercept.h\"\n#include "
      "\"uck_{0}_host.cpp\"\n#undef "
      "to_underlying_arguments\n#endif\n",
      hash);
  out += fmt::format("static void fill_{}(uck_gemm& x) {{\n", id);
  out += fmt::format("  x.l = {}LL;\n  x.m = {}LL;\n  x.n = {}LL;\n  x.k = {}LL;\n", gemm.batch(), gemm.m(),
                     gemm.n(), gemm.k());
  out += fill_view("a", gemm.a, 0) + fill_view("b", gemm.b, 1);
  for (size_t i = 0; i < gemm.epilogue.views.size(); ++i)
    out += fill_view(fmt::format("view[{}]", i), gemm.epilogue.views[i], i + 2);
  out += fmt::format("  x.raster = {};\n  x.swizzle = {};\n  x.split = {};\n}}\n",
                     static_cast<int>(config.raster), config.swizzle, config.split);
  const std::string names = types_namespace(kernel.emitted.device_source);
  const std::string facts = names.empty() ? "{}" : fmt::format("uc_oracle::facts<{}::Kernel>()", names);
  out += fmt::format(
      "static constexpr uc_oracle::Facts facts_{0} = {3};\nstatic const uc_oracle::Probe probe_{0} = "
      "{{\"{1}\", facts_{0}, {4}, {5}U, uck_{2}_scratch, "
      "uck_{2}_params_bytes, "
      "uck_{2}_shape, uck_{2}_prepare, fill_{0}}};\n",
      id, trial.name, hash, facts, kernel.emitted.parts, kernel.shared_bytes);
  return out;
}

}  // namespace

std::string Trial::key() const {
  std::string all = source + "\n" + no_source + "\n";
  for (const TrialKernel& kernel : kernels) {
    const std::string text = kernel.emitted.device_source + kernel.emitted.host_source;
    all += replace_all(text, "uck_" + kernel.emitted.hash, kKernelSymbol) + "\n";
  }
  return short_hash(all);
}

std::vector<std::string> errors_of(const Catalog& catalog, std::string_view source) {
  return error_ids(check_source(catalog, source).diags);
}

Trial make_trial(const Catalog& catalog, std::string name, std::string_view source) {
  Trial trial;
  trial.name = std::move(name);
  trial.source = source;
  const Compiled compiled = check_source(catalog, source);
  trial.errors = error_ids(compiled.diags);
  if (trial.accepted()) {
    emit(catalog, compiled.program, compiled.launches, trial);
  } else {
    force(catalog, trial);
  }
  return trial;
}

bool write_trials(const std::vector<Trial>& trials, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return false;
  for (const std::string_view file : support_files())
    write(fmt::format("{}/{}", folder, file), support_file(file));
  std::string table;
  for (const Trial& trial : trials) {
    write(fmt::format("{}/{}.uc", folder, trial.name), trial.source);
    std::string models;
    for (size_t i = 0; i < trial.kernels.size(); ++i) {
      const TrialKernel& kernel = trial.kernels[i];
      write(fmt::format("{}/uck_{}.cu", folder, kernel.emitted.hash), kernel.emitted.device_source);
      write(fmt::format("{}/uck_{}_host.cpp", folder, kernel.emitted.hash), kernel.emitted.host_source);
      write(fmt::format("{}/{}_{}.probe.h", folder, trial.name, i), probe_source(trial, i));
      models += (i == 0 ? "" : "|") + kernel.modelled;
    }
    table += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", trial.name, trial.key(),
                         trial.accepted() ? "accepted" : fmt::format("{}", fmt::join(trial.errors, ",")),
                         trial.kernels.size(), models, trial.no_source);
  }
  std::ofstream out(folder + "/cases.tsv");
  out << table;
  return out.good();
}

}  // namespace uc::oracle
