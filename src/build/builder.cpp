#include "build/builder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "emit/templates.h"

namespace uc {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kBytesPerCompiler = uint64_t{4} << 30;  // one SM90 CUTLASS file takes 3.1-3.8 GB
constexpr Millis kCompileDeadline{15 * 60 * 1000};
constexpr std::chrono::hours kAbandoned{
    1};  // of a folder that nobody writes: its compilers are over or were killed

std::string default_cache() {
  for (const char* variable : {"UCUTLASS_CACHE", "XDG_CACHE_HOME", "HOME"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || value[0] == 0) continue;
    if (std::string_view(variable) == "UCUTLASS_CACHE") return fs::absolute(value).string();
    if (value[0] != '/') continue;  // the XDG specification: a relative one is ignored
    return std::string(value) + (std::string_view(variable) == "HOME" ? "/.cache/ucutlass" : "/ucutlass");
  }
  return "/tmp/ucutlass-cache";
}

int default_jobs() {
  const auto pages = static_cast<uint64_t>(std::max<long>(1, sysconf(_SC_PHYS_PAGES)));
  const auto by_memory = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / kBytesPerCompiler;
  return static_cast<int>(
      std::clamp<uint64_t>(std::min<uint64_t>(by_memory, std::thread::hardware_concurrency()), 1, 64));
}

// A cubin or an object whose tables lie within the file: a disk that was full or a copy that was cut leaves
// less.
bool whole_elf(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(std::max<std::streamoff>(0, file.tellg()));
  Elf64_Ehdr head{};
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head)) return false;
  const auto inside = [&](uint64_t offset, uint64_t count, uint64_t each) {
    return offset <= size && count * each <= size - offset;
  };
  return std::equal(std::begin(head.e_ident), std::begin(head.e_ident) + SELFMAG, ELFMAG) &&
         head.e_shoff != 0 && inside(head.e_shoff, head.e_shnum, head.e_shentsize) &&
         inside(head.e_phoff, head.e_phnum, head.e_phentsize);
}

// The first lines that a person needs of a compiler's output.
std::string first_errors(const std::string& text) {
  std::string out;
  int lines = 0;
  for (const std::string_view each : split(text, '\n')) {
    if (each.find("error") == std::string_view::npos && each.find("Error") == std::string_view::npos)
      continue;
    out += "\n  " + std::string(each.substr(0, 300));
    if (++lines == 5) break;
  }
  return out.empty() ? "\n  " + text.substr(0, 600) : out;
}

}  // namespace

Builder::Builder(Toolchain toolchain, BuilderOptions options, Processes& processes, Files& files)
    : toolchain_(std::move(toolchain)),
      options_(std::move(options)),
      processes_(processes),
      files_(files),
      cache_(options_.cache.empty() ? default_cache() : options_.cache) {
  if (options_.jobs <= 0) options_.jobs = default_jobs();
}

std::string Builder::folder_of(const EmittedKernel& kernel) const {
  return fmt::format("{}/kernels/{}-{}", cache_, kernel.hash, short_hash(toolchain_.id()).substr(0, 8));
}

bool Builder::present(const EmittedKernel& kernel) const {
  const std::string folder = folder_of(kernel);
  return whole_elf(fmt::format("{}/{}.cubin", folder, kernel.hash)) &&
         (!kernel.has_host() || whole_elf(fmt::format("{}/{}.o", folder, kernel.hash)));
}

void Builder::sweep() {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(cache_ + "/kernels", error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".part") continue;
    std::error_code gone;  // another process may remove or finish it meanwhile
    const auto changed = fs::last_write_time(at->path(), gone);
    if (!gone && now - changed > kAbandoned) fs::remove_all(at->path(), gone);
  }
}

Result<> Builder::compile(const std::vector<std::string>& argv, const std::string& folder,
                          const std::string& what, double& seconds) {
  ProcessSpec spec;
  spec.argv = argv;
  spec.folder = folder;
  spec.env = {{"TMPDIR", folder}};  // a killed compiler leaves nothing outside
  spec.deadline = kCompileDeadline;
  const auto done = processes_.run(spec);
  if (!done) return tl::unexpected(done.error());
  seconds = done->seconds;
  const std::string log = done->out + done->err;
  const std::string log_path = fmt::format("{}/{}.log", folder, what);
  (void)files_.write(log_path, fmt::format("{}\n{}", join(argv, " "), log));
  if (done->end.ok()) return {};
  return fail(fmt::format("{} failed: {}{}", argv[0], describe(done->end), first_errors(log)),
              fmt::format("the whole log: {}", log_path));
}

Result<BuiltKernel> Builder::build(const EmittedKernel& kernel) {
  const std::string folder = folder_of(kernel);
  const std::string beside = fmt::format("{}.{}-{}.part", folder, getpid(),
                                         std::hash<std::thread::id>{}(std::this_thread::get_id()));
  if (const auto made = files_.make_folder(beside); !made) return tl::unexpected(made.error());
  std::map<std::string, std::string_view> sources{
      {fmt::format("uck_{}.cu", kernel.hash), kernel.device_source}};
  if (kernel.has_host()) sources.emplace(fmt::format("uck_{}_host.cpp", kernel.hash), kernel.host_source);
  for (const std::string_view name : support_files()) sources.emplace(name, support_file(name));
  for (const auto& [name, text] : sources) {
    if (const auto written = files_.write(beside + "/" + name, text); !written)
      return tl::unexpected(written.error());
  }
  BuiltKernel out{kernel.hash, folder, kernel.has_host(), false, 0, 0};
  const std::vector<std::string> cutlass{"-I" + toolchain_.cutlass + "/include",
                                         "-I" + toolchain_.cutlass + "/tools/util/include"};
  std::vector<std::string> nvcc{toolchain_.nvcc,
                                "-cubin",
                                "-std=c++17",
                                fmt::format("-gencode=arch=compute_{0},code=sm_{0}", kernel.arch.substr(3)),
                                "-O3",
                                "-DNDEBUG",
                                "--expt-relaxed-constexpr",
                                "-Xptxas=-v",
                                "-I."};
  if (kernel.needs_cutlass) nvcc.insert(nvcc.end(), cutlass.begin(), cutlass.end());
  nvcc.insert(nvcc.end(), {fmt::format("uck_{}.cu", kernel.hash), "-o", kernel.hash + ".cubin"});
  Result<> host;
  std::thread beside_nvcc;
  if (kernel.has_host()) {
    std::vector<std::string> gxx{toolchain_.gxx,
                                 "-std=c++17",
                                 "-O2",
                                 "-w",
                                 "-fpermissive",
                                 "-fPIC",
                                 "-fvisibility=hidden",
                                 "-ffunction-sections",
                                 "-DNDEBUG",
                                 "-I.",
                                 "-I" + toolchain_.cuda_include,
                                 "-I" + toolchain_.cuda_include + "/cccl"};
    if (kernel.needs_cutlass) gxx.insert(gxx.end(), cutlass.begin(), cutlass.end());
    gxx.insert(gxx.end(), {"-c", fmt::format("uck_{}_host.cpp", kernel.hash), "-o", kernel.hash + ".o"});
    beside_nvcc = std::thread([&, gxx] { host = compile(gxx, beside, "host", out.host_seconds); });
  }
  const Result<> device = compile(nvcc, beside, "device", out.device_seconds);
  if (beside_nvcc.joinable()) beside_nvcc.join();
  for (const Result<>& half : {device, host}) {
    if (half) continue;
    if (half.error().exit_code == 130) (void)files_.remove(beside);  // interrupted: there is no log to read
    return tl::unexpected(half.error());
  }
  std::error_code error;
  if (!present(kernel)) fs::remove_all(folder, error);  // a damaged one
  fs::rename(beside, folder, error);
  if (error) (void)files_.remove(beside);  // another process was faster; its result is the same
  if (!present(kernel))
    return fail(fmt::format("the kernel cache {} cannot be written", cache_),
                "check its permissions and free space, or set UCUTLASS_CACHE");
  return out;
}

Result<std::vector<BuiltKernel>> Builder::kernels(const std::vector<EmittedKernel>& kernels) {
  if (const auto able = require_build(toolchain_); !able) return tl::unexpected(able.error());
  std::vector<const EmittedKernel*> todo;
  for (const EmittedKernel& kernel : kernels) {
    const bool known = std::any_of(todo.begin(), todo.end(),
                                   [&](const EmittedKernel* other) { return other->hash == kernel.hash; });
    if (!known && !present(kernel)) todo.push_back(&kernel);
  }
  if (!todo.empty()) sweep();
  std::map<std::string, BuiltKernel> built;
  std::optional<Error> failed;
  std::mutex lock;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < todo.size(); i = next++) {
      if (options_.progress) {
        const std::lock_guard guard(lock);
        options_.progress(fmt::format("compiling {} ({})", todo[i]->summary, todo[i]->hash));
      }
      auto one = build(*todo[i]);
      const std::lock_guard guard(lock);
      if (one) {
        built[todo[i]->hash] = *one;
      } else if (!failed) {
        failed = one.error();
      }
    }
  };
  std::vector<std::thread> workers;
  for (size_t i = 1; i < std::min<size_t>(static_cast<size_t>(options_.jobs), todo.size()); ++i)
    workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  if (failed) return tl::unexpected(*failed);
  std::vector<BuiltKernel> out;
  for (const EmittedKernel& kernel : kernels) {
    const auto fresh = built.find(kernel.hash);
    out.push_back(fresh != built.end()
                      ? fresh->second
                      : BuiltKernel{kernel.hash, folder_of(kernel), kernel.has_host(), true, 0, 0});
  }
  return out;
}

Result<BuiltProgram> Builder::program(const std::vector<EmittedKernel>& emitted, const std::string& glue,
                                      const std::string& output) {
  const auto begin = std::chrono::steady_clock::now();
  auto halves = kernels(emitted);
  if (!halves) return tl::unexpected(halves.error());
  const auto folder = files_.make_temporary_folder("ucutlass-link");
  if (!folder) return tl::unexpected(folder.error());
  Result<> done = files_.write(*folder + "/program.cpp", glue);
  for (const std::string_view name : support_files()) {
    if (done) done = files_.write(*folder + "/" + std::string(name), support_file(name));
  }
  std::vector<std::string> gxx{toolchain_.gxx,
                               "-std=c++17",
                               "-O2",
                               "-w",
                               "-fPIC",
                               "-shared",
                               "-fvisibility=hidden",
                               "-static-libstdc++",
                               "-static-libgcc",
                               "-ffunction-sections",
                               "-Wl,--gc-sections",
                               "-Wl,--exclude-libs,ALL",
                               "-I.",
                               "-I" + toolchain_.cuda_include};
  std::vector<std::string> objects;
  for (const BuiltKernel& half : *halves) {
    const std::string include = "-Wa,-I" + half.folder;
    if (std::find(gxx.begin(), gxx.end(), include) != gxx.end()) continue;
    gxx.push_back(include);
    if (half.has_host) objects.push_back(fmt::format("{}/{}.o", half.folder, half.hash));
  }
  gxx.push_back("program.cpp");
  gxx.insert(gxx.end(), objects.begin(), objects.end());
  gxx.insert(gxx.end(), {"-ldl", "-o", "program.so"});
  double seconds = 0;
  if (done) done = compile(gxx, *folder, "link", seconds);
  if (done) {
    const auto bytes = files_.read(*folder + "/program.so");
    const fs::path parent = fs::path(output).parent_path();
    if (!parent.empty()) done = files_.make_folder(parent.string());
    if (done && bytes) done = files_.write(output, *bytes, 0755);
    if (!bytes) done = tl::unexpected(bytes.error());
  }
  if (!done) return tl::unexpected(done.error());
  (void)files_.remove(*folder);
  BuiltProgram out;
  out.library = output;
  out.kernels = std::move(*halves);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace uc
