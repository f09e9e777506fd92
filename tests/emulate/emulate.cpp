// uc_emulate [--work FOLDER] PROGRAM.uc | FOLDER ...: what compiled programs give on a CPU, held against the
// executor. Kernels that are plain CUDA are compiled by g++ and run by fake_cuda.cpp: their meaning, not
// their speed. Each runs three times in dirty memory and must give the same bits. Exit code 0: all right; 1:
// some are not; 77: no CUDA headers here.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

#include "catalog/builtin.h"
#include "compiler/artifacts.h"
#include "compiler/expand.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "exec/random.h"
#include "platform/files.h"
#include "syntax/parser.h"
#include "ucutlass/abi.h"

namespace uc {
namespace {

namespace fs = std::filesystem;

// A tensor as a program's caller has it: elements where the strides say.
struct Memory {
  std::vector<char> bytes;
  char* data = nullptr;
  ucutlass_tensor tensor{};
};

int64_t extent_of(const Value& value) {
  int64_t last = 0;
  for (size_t d = 0; d < value.shape.size(); ++d) last += (value.shape[d] - 1) * value.stride[d];
  return numel(value.shape) == 0 ? 0 : last + 1;
}

template <class Each>
void for_each_element(const Value& value, const Each& each) {
  std::vector<int64_t> at(value.shape.size(), 0);
  for (int64_t i = 0; i < numel(value.shape); ++i) {
    int64_t rest = i;
    int64_t place = 0;
    for (size_t d = value.shape.size(); d-- > 0; rest /= value.shape[d])
      place += rest % value.shape[d] * value.stride[d];
    each(i, place);
  }
}

Memory memory_of(const Value& value, const HostTensor* from) {
  Memory out;
  const auto size = static_cast<size_t>(size_bytes(value.dtype));
  out.bytes.assign(static_cast<size_t>(extent_of(value)) * size + 256, char(0x5a));
  const auto address = reinterpret_cast<uintptr_t>(out.bytes.data());
  out.data = out.bytes.data() + (256 - address % 256) % 256;
  if (from != nullptr) {
    const std::string raw = to_bytes(*from);
    for_each_element(value, [&](int64_t i, int64_t place) {
      memcpy(out.data + static_cast<size_t>(place) * size, raw.data() + static_cast<size_t>(i) * size, size);
    });
  }
  out.tensor = {out.data, value.shape.data(), value.stride.data(), static_cast<int32_t>(value.shape.size()),
                static_cast<int32_t>(value.dtype)};
  return out;
}

HostTensor read(const Value& value, const Memory& memory) {
  const auto size = static_cast<size_t>(size_bytes(value.dtype));
  std::string raw(static_cast<size_t>(numel(value.shape)) * size, '\0');
  for_each_element(value, [&](int64_t i, int64_t place) {
    memcpy(raw.data() + static_cast<size_t>(i) * size, memory.data + static_cast<size_t>(place) * size, size);
  });
  return *from_bytes(value.dtype, value.shape, raw);
}

double tolerance_of(const Program& program, const Value& value, std::string_view source) {
  constexpr std::string_view kSays = "# tolerance:";
  if (source.starts_with(kSays)) return std::strtod(source.substr(kSays.size()).data(), nullptr);
  double out = 0;
  const auto take = [&out](DType type) {
    if (type == DType::f64) out = std::max(out, 1e-12);
    if (type == DType::f32) out = std::max(out, 2e-5);
    if (type == DType::f16) out = std::max(out, 5e-3);
    if (type == DType::bf16) out = std::max(out, 2e-2);
  };
  for (const auto* ids : {&program.inputs, &program.params}) {
    for (const ValueId id : *ids) take(program[id].dtype);
  }
  take(value.dtype);
  return out;
}

// Worst element over the tolerance of the data's scale.
double excess(const HostTensor& got, const HostTensor& want, double tolerance) {
  double norm = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < want.count(); ++i) {
    if (!std::isfinite(want.at(i))) continue;
    norm += want.at(i) * want.at(i);
    ++finite;
  }
  const double scale = finite == 0 ? 0 : std::sqrt(norm / static_cast<double>(finite));
  double worst = 0;
  for (int64_t i = 0; i < want.count(); ++i) {
    const double g = got.at(i);
    const double w = want.at(i);
    if (g == w || (std::isnan(g) && std::isnan(w))) continue;
    const double off = std::abs(g - w) / (tolerance * (scale + std::abs(w)));
    worst = std::isnan(off) || tolerance == 0 ? INFINITY : std::max(worst, off);
  }
  return worst;
}

class Runner {
 public:
  Runner(const Catalog& catalog, std::string work) : catalog_(catalog), work_(std::move(work)) {}

  bool program(const std::string& name, const std::string& source) {
    const Compiled compiled = check_source(catalog_, source);
    if (!compiled.ok()) {
      std::cout << render_text(compiled.diags.sorted(), source, name);
      return said(name, "REFUSED");
    }
    const fs::path folder = fs::path(work_) / compiled.hash;
    fs::create_directories(folder);
    const EmittedProgram emitted = emit_program(catalog_, compiled);
    if (!write_artifacts(catalog_, compiled, emitted, {}, folder.string(), real_files()))
      return said(name, "NOT WRITTEN");
    if (!build(folder, compiled, emitted)) return said(name, "NOT BUILT");
    return apart(name, source, folder / "emulated.so", compiled);
  }

 private:
  static bool said(const std::string& name, const std::string& what) {
    std::cout << fmt::format("{:<60} {}\n", name, what) << std::flush;
    return what.starts_with("right");
  }

  bool build(const fs::path& folder, const Compiled& compiled, const EmittedProgram& emitted) const {
    std::set<std::string> hashes;
    std::string kernels;
    std::vector<std::string> hosts;
    for (const EmittedKernel& kernel : emitted.kernels) {
      if (!hashes.insert(kernel.hash).second) continue;
      std::ofstream(folder / (kernel.hash + ".cubin")) << "none";
      kernels += fmt::format(" -x c++ uck_{}.cu", kernel.hash);
      if (kernel.has_host()) hosts.push_back(fmt::format("uck_{}_host.cpp", kernel.hash));
    }
    const std::string common =
        fmt::format("g++ -std=c++17 -O1 -fno-strict-aliasing -fPIC -w -I. -isystem {}", UC_CUDA_INCLUDE);
    std::string objects;
    std::string halves;
    for (size_t i = 0; i < hosts.size(); ++i) {
      objects += fmt::format(" host{}.o", i);
      halves += fmt::format("{} -c {} -o host{}.o && ", common, hosts[i], i);
    }
    const std::string command = fmt::format(
        "cd {0} && ({6}{1} -c ucutlass_{2}.cpp -o program.o && {1} -shared -DUC_EMULATE -I{3} -include "
        "uc_emulate.h{4} -x none program.o{5} -o emulated.so -ldl) > g++.log 2>&1",
        folder.string(), common, compiled.hash, UC_EMULATE_SOURCE, kernels, objects, halves);
    if (std::system(command.c_str()) == 0) return true;  // NOLINT(concurrency-mt-unsafe): one thread
    std::ifstream log(folder / "g++.log");
    std::cout << std::string(std::istreambuf_iterator<char>(log), {}).substr(0, 3000);
    return false;
  }

  // In a process of its own: libraries of two programs have the same names in them, and what crashes is told.
  bool apart(const std::string& name, const std::string& source, const fs::path& library,
             const Compiled& compiled) const {
    const pid_t child = fork();
    if (child == 0) {
      std::string digits;
      for (const char c : compiled.program.target) digits += c >= '0' && c <= '9' ? std::string(1, c) : "";
      setenv("UC_EMULATED_ARCH", digits.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
      _exit(run(name, source, library, compiled) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) == 0 : said(name, "CRASHED");
  }

  bool run(const std::string& name, const std::string& source, const fs::path& library,
           const Compiled& compiled) const {
    const Program& program = compiled.program;
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) return said(name, fmt::format("NOT LOADED: {}", dlerror()));
    const auto get = reinterpret_cast<const ucutlass_api* (*)(uint32_t)>(dlsym(handle, "ucutlass_get_api"));
    return said(name, compare(program, source, *get(UCUTLASS_ABI)));
  }

  std::string compare(const Program& program, const std::string& source, const ucutlass_api& api) const {
    uint64_t seed = 1;
    const auto given = [&](const std::vector<ValueId>& ids) {
      std::vector<HostTensor> out;
      for (const ValueId id : ids) {
        out.push_back(random_tensor(program[id].dtype, program[id].shape, next_random(seed)));
        const auto& says = program[id].structure;
        if (std::find(says.begin(), says.end(), "positive") == says.end()) continue;
        for (int64_t i = 0; i < out.back().count(); ++i) out.back().set(i, std::abs(out.back().at(i)));
      }
      return out;
    };
    const auto inputs = given(program.inputs);
    const auto params = given(program.params);
    const auto want = execute(catalog_, program, inputs, params);
    if (!want) return "NO ANSWER: " + want.error().message;
    double worst = 0;
    std::vector<HostTensor> first;
    for (const char byte : {char(0xff), char(0), char(0x7f)}) {
      std::string error;
      const auto got = call(program, api, inputs, params, byte, error);
      if (!error.empty()) return "FAILED: " + error;
      for (size_t i = 0; i < got.size(); ++i) {
        const Value& value = program[program.results[i]];
        worst = std::max(worst, excess(got[i], (*want)[i], tolerance_of(program, value, source)));
        if (!first.empty() && to_bytes(first[i]) != to_bytes(got[i])) return "UNSTABLE";
      }
      first = got;
    }
    return worst <= 1 ? fmt::format("right, {:.3f} of the tolerance", worst)
                      : fmt::format("WRONG, {:.3g} of the tolerance", worst);
  }

  static std::vector<HostTensor> call(const Program& program, const ucutlass_api& api,
                                      const std::vector<HostTensor>& inputs,
                                      const std::vector<HostTensor>& params, char byte, std::string& error) {
    ucutlass_message message{};
    ucutlass_program* opened = nullptr;
    if (api.open(0, &opened, &message) != UCUTLASS_OK) return error = message.text, std::vector<HostTensor>{};
    std::vector<Memory> in, held, out;
    std::vector<ucutlass_tensor> t_in, t_held, t_out;
    for (size_t i = 0; i < inputs.size(); ++i)
      in.push_back(memory_of(program[program.inputs[i]], &inputs[i]));
    for (size_t i = 0; i < params.size(); ++i)
      held.push_back(memory_of(program[program.params[i]], &params[i]));
    for (const ValueId id : program.results) out.push_back(memory_of(program[id], nullptr));
    for (const Memory& each : in) t_in.push_back(each.tensor);
    for (const Memory& each : held) t_held.push_back(each.tensor);
    for (const Memory& each : out) t_out.push_back(each.tensor);
    size_t packed = 0;
    size_t workspace = 0;
    api.sizes(opened, nullptr, &packed, &workspace, &message);
    std::vector<char> memory(packed + workspace + 1024, byte);
    char* base = memory.data() + (256 - reinterpret_cast<uintptr_t>(memory.data()) % 256) % 256;
    char* work = base + (packed + 255) / 256 * 256;
    ucutlass_status status = api.prepack(opened, t_held.data(), base, work, workspace, nullptr, &message);
    if (status == UCUTLASS_OK)
      status = api.run(opened, t_in.data(), t_held.data(), base, t_out.data(), work, workspace, nullptr, 0,
                       nullptr, &message);
    api.close(opened);
    if (status != UCUTLASS_OK) return error = message.text, std::vector<HostTensor>{};
    std::vector<HostTensor> results;
    for (size_t i = 0; i < out.size(); ++i) results.push_back(read(program[program.results[i]], out[i]));
    return results;
  }

  const Catalog& catalog_;
  std::string work_;
};

std::vector<fs::path> programs_in(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".uc") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The legal programs that a text with sets in its knobs stands for; itself without any.
std::vector<std::string> members_of(const Catalog& catalog, const std::string& source) {
  DiagSink diags;
  const ast::File tree = parse(source, diags);
  if (diags.has_errors() || !has_sets(tree)) return {source};
  std::vector<std::string> out;
  for (const Member& member : expand(tree, source)) {
    if (check_source(catalog, member.source).ok()) out.push_back(member.source);
  }
  return out;
}

int run(int argc, char** argv) {
  if (!fs::exists(fs::path(UC_CUDA_INCLUDE) / "cuda_fp16.h")) {
    std::cout << "no CUDA headers here: set CUDA_INCLUDE when configuring\n";
    return 77;
  }
  if (dlopen(UC_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::cout << dlerror() << "\n";
    return 1;
  }
  std::string work = "emulated";
  const Catalog catalog = builtin_catalog();
  int wrong = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--work") == 0) {
      work = argv[++i];
      continue;
    }
    Runner runner(catalog, work);
    for (const fs::path& path : programs_in(argv[i])) {
      std::ifstream file(path);
      const std::string source{std::istreambuf_iterator<char>(file), {}};
      for (const std::string& member : members_of(catalog, source))
        wrong += runner.program(path.parent_path().filename() / path.stem(), member) ? 0 : 1;
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace uc

int main(int argc, char** argv) { return uc::run(argc, argv); }
