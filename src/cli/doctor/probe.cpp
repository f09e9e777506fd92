#include "cli/doctor/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/http.h"
#include "platform/process.h"
#include "platform/toolchain.h"

namespace uc::cli {
namespace {

constexpr Millis kPatience{10000};

/// The output of a probe's command, or nothing when it does not run or fails.
std::string output_of(const Context& context, std::vector<std::string> argv, std::string* error = nullptr) {
  ProcessSpec spec;
  const std::string program = argv.front();
  spec.argv = std::move(argv);
  spec.deadline = kPatience;
  const auto done = context.processes.run(spec);
  if (done && done->end.ok()) return std::string(trim(done->out));
  if (error != nullptr) {
    *error = done ? fmt::format("{}: {}", program, describe(done->end)) : done.error().message;
    const std::string_view last = done ? trim(done->err.empty() ? done->out : done->err) : std::string_view();
    if (!last.empty()) *error += fmt::format(" ({})", split(last, '\n').back());
  }
  return {};
}

/// The first word after `marker` in `text`, up to a blank, a comma or the end of the line.
std::string word_after(std::string_view text, std::string_view marker) {
  const size_t at = text.find(marker);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trim(text.substr(at + marker.size()));
  return std::string(rest.substr(0, rest.find_first_of(" ,\n")));
}

Found find_gxx(const Context& context) {
  const std::string path = find_program("g++");
  if (path.empty()) return {};
  Found found{false, {}, path, {}};
  found.version = output_of(context, {path, "-dumpfullversion"}, &found.note);
  found.ok = !found.version.empty();
  return found;
}

Found find_nvcc(const Context& context) {
  const std::string path = find_cuda_program("nvcc", context.environment, context.files);
  if (path.empty()) return {};
  Found found{false, {}, path, {}};
  found.version = word_after(output_of(context, {path, "--version"}, &found.note), "release ");
  found.ok = !found.version.empty();
  if (found.ok && found.version.find('.') < 2) {
    found.ok = false;
    found.note = "too old: 12 or newer is needed, 13 is what is tested";
  }
  return found;
}

Found find_cutlass_tree(const Context& context) {
  const auto tree = find_cutlass(context.environment, context.files);
  if (!tree) return {false, {}, {}, tree.error().message};
  return {true, tree->version(), tree->folder, {}};
}

Found find_driver(const Context& context) {
  const std::string smi = find_program("nvidia-smi");
  if (!smi.empty()) {
    Found found{false, {}, smi, {}};
    const std::string text =
        output_of(context, {smi, "--query-gpu=driver_version", "--format=csv,noheader"}, &found.note);
    found.version = std::string(split(text, '\n').front());
    found.ok = !found.version.empty();
    return found;
  }
  const std::string file = "/proc/driver/nvidia/version";
  if (!context.files.exists(file)) return {};
  const std::string version = word_after(context.files.read(file).value_or(""), "Kernel Module ");
  return {true, version, file, "nvidia-smi is not there, so the GPU cannot be named"};
}

Found find_gpu(const Context& context) {
  const std::string smi = find_program("nvidia-smi");
  if (smi.empty()) return {};
  Found found;
  const std::string text = output_of(
      context, {smi, "--query-gpu=name,compute_cap,memory.total", "--format=csv,noheader"}, &found.note);
  if (text.empty()) return found;
  const std::vector<std::string_view> gpus = split(text, '\n');
  const std::vector<std::string_view> fields = split(gpus.front(), ',');
  found.ok = true;
  found.version = std::string(trim(fields[0]));
  if (fields.size() == 3)
    found.note = fmt::format("compute capability {}, {}", trim(fields[1]), trim(fields[2]));
  if (gpus.size() > 1) found.note += fmt::format("; {} GPUs, the first is used", gpus.size());
  if (fields.size() == 3 && trim(fields[1]) != "9.0")
    found.note += "; kernels are emitted for 9.0 (sm_90a) only";
  return found;
}

Found find_python3(const Context& context) {
  const std::string path = find_python(context.environment);
  if (path.empty()) return {};
  Found found{false, {}, path, {}};
  found.version = word_after(output_of(context, {path, "--version"}, &found.note), "Python ");
  found.ok = !found.version.empty();
  return found;
}

/// Where torch is and which CUDA it was built for, without importing it (that takes seconds).
constexpr std::string_view kTorchScript = R"(
import importlib.util, pathlib, re, sys
spec = importlib.util.find_spec("torch")
if spec is None: sys.exit("torch is not installed for this python")
folder = pathlib.Path(spec.origin).parent
text = (folder / "version.py").read_text()
pick = lambda name: (re.search(rf"^{name}\b[^=\n]*= *'([^']*)'", text, re.M) or [None, ""])[1]
print(pick("__version__"), pick("cuda") or "none", folder, sep="\n")
)";

Found find_torch(const Context& context) {
  const std::string python = find_python(context.environment);
  if (python.empty()) return {false, {}, {}, "there is no python3"};
  Found found;
  const std::string text = output_of(context, {python, "-c", std::string(kTorchScript)}, &found.note);
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.size() != 3) return found;
  found.ok = true;
  found.version = std::string(lines[0]);
  found.path = std::string(lines[2]);
  found.note = lines[1] == "none" ? std::string("built without CUDA: captures problems, cannot measure")
                                  : fmt::format("built for CUDA {}", lines[1]);
  return found;
}

Found find_ncu(const Context& context) {
  const std::string path = find_cuda_program("ncu", context.environment, context.files);
  if (path.empty()) return {};
  Found found{false, {}, path, {}};
  found.version = word_after(output_of(context, {path, "--version"}, &found.note), "Version ");
  found.ok = !found.version.empty();
  const std::string params = context.files.read("/proc/driver/nvidia/params").value_or("");
  if (found.ok && params.find("RmProfilingAdminOnly: 1") != std::string::npos && geteuid() != 0) {
    found.note = "the driver gives its counters to root only";
  }
  return found;
}

Found find_curl(const Context&) {
  const auto library = http_library();
  return library ? Found{true, {}, *library, {}} : Found{};
}

constexpr Probe kProbes[] = {
    {"g++", "no kernel can be built", "apt-get install g++", find_gxx},
    {"nvcc", "kernels are emitted but not compiled",
     "install the CUDA toolkit 13, or set UCUTLASS_NVCC or CUDA_HOME", find_nvcc},
    {"cutlass", "kernels that use CUTLASS are emitted but not compiled",
     "make setup, or set UCUTLASS_CUTLASS_DIR to a CUTLASS 4.2 to 4.7", find_cutlass_tree},
    {"driver", "kernels cannot run", "install NVIDIA's driver", find_driver},
    {"gpu", "times are modelled, not measured, and results are not checked on a GPU",
     "run on a machine with an NVIDIA GPU of compute capability 9.0 (H100, H200)", find_gpu},
    {"python", "no PyTorch problem can be captured", "apt-get install python3, or set UCUTLASS_PYTHON",
     find_python3},
    {"torch", "no new problem can be captured, and there are no PyTorch baselines",
     "pip install torch in an environment, and set UCUTLASS_PYTHON to its python", find_torch},
    {"curl", "no language model can be asked", "apt-get install libcurl4", find_curl},
    {"ncu", "no hardware counters in reports", "install Nsight Compute, or set UCUTLASS_NCU", find_ncu},
};

}  // namespace

std::span<const Probe> probes() { return kProbes; }

std::vector<Ability> abilities() {
  return {{"check, bound and emit programs; optimize with modelled times", {}},
          {"compile kernels", {"g++", "nvcc", "cutlass"}},
          {"run kernels", {"g++", "nvcc", "cutlass", "driver", "gpu"}},
          {"optimize with measured times", {"g++", "nvcc", "cutlass", "driver", "gpu", "python", "torch"}},
          {"capture PyTorch problems", {"python", "torch"}},
          {"optimize with a language model", {"curl"}},
          {"read hardware counters", {"driver", "gpu", "ncu"}}};
}

}  // namespace uc::cli
