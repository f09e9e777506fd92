#include "compiler/edited.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "base/hash.h"
#include "base/text.h"
#include "emit/kernel_hash.h"
#include "emit/program_glue.h"
#include "emit/templates.h"

namespace uc {
namespace {

constexpr int kWrongInput = 2;

tl::unexpected<Error> wrong(std::string message, std::string help) {
  return fail(std::move(message), std::move(help), kWrongInput);
}

class Folder {
 public:
  Folder(const Catalog& catalog, Files& files, const std::string& path) : catalog_(catalog), files_(files) {
    const bool source = path.ends_with(".cu") || path.ends_with(".cpp");
    folder_ = source ? std::filesystem::path(path).parent_path().string() : path;
    if (folder_.empty()) folder_ = ".";
  }

  Result<EditedProgram> run() {
    auto stem = program_stem();
    if (!stem) return tl::unexpected(stem.error());
    auto text = read(*stem + ".uc");
    if (!text) return tl::unexpected(text.error());
    out_.compiled = check_source(catalog_, *text);
    if (!out_.compiled.ok())
      return wrong(fmt::format("{}/{}.uc is not accepted", folder_, *stem), "`ucutlass check` says why");
    out_.emitted = emit_program(catalog_, out_.compiled);
    if ("ucutlass_" + out_.emitted.hash != *stem)
      return wrong(
          fmt::format("{}/{}.uc was edited, or written by another version", folder_, *stem),
          "compile the program again and edit its kernels; a changed program is a candidate by itself");
    if (auto same = check_others(*stem); !same) return tl::unexpected(same.error());
    std::map<std::string, EmittedKernel> taken;
    for (EmittedKernel& kernel : out_.emitted.kernels) {
      const std::string hash = kernel.hash;
      if (!taken.contains(hash)) {
        auto edited = take(kernel);
        if (!edited) return tl::unexpected(edited.error());
        taken.emplace(hash, std::move(*edited));
      }
      kernel = taken.at(hash);
    }
    if (out_.edited.empty())
      return wrong(
          fmt::format("no kernel in {} was edited", folder_),
          fmt::format("edit a uck_*.cu there, or judge the program itself: {}/{}.uc", folder_, *stem));
    name_again();
    return std::move(out_);
  }

 private:
  Result<std::string> read(const std::string& name) { return read_given(files_, folder_ + "/" + name); }

  Result<std::string> program_stem() {
    auto names = files_.list(folder_);
    if (!names)
      return wrong(fmt::format("{} is no folder that can be read", folder_),
                   "a folder that `ucutlass compile --emit cu` wrote");
    std::vector<std::string> stems;
    for (const std::string& name : *names) {
      if (name.starts_with("ucutlass_") && name.ends_with(".uc"))
        stems.push_back(name.substr(0, name.size() - 3));
    }
    if (stems.size() == 1) return stems.front();
    return wrong(fmt::format("{} holds {} programs (ucutlass_*.uc)", folder_, stems.size()),
                 "edit kernels in a folder that one `ucutlass compile prog.uc -o FOLDER --emit cu` wrote");
  }

  // What is not taken must not look as if it were.
  Result<> check_others(const std::string& stem) {
    std::map<std::string, std::string> written{{stem + ".cpp", out_.emitted.glue}};
    for (const std::string_view name : support_files())
      written[std::string(name)] = std::string(support_file(name));
    for (const auto& [name, text] : written) {
      if (!files_.exists(folder_ + "/" + name)) continue;
      const auto found = read(name);
      if (!found) return tl::unexpected(found.error());
      if (*found == text) continue;
      return wrong(
          fmt::format(
              "{}/{} was edited, or written by another version: only kernels (uck_*.cu, uck_*_host.cpp) "
              "are taken",
              folder_, name),
          "put the changed functions into the kernel's own .cu, and leave this file as it was");
    }
    return {};
  }

  Result<EmittedKernel> take(const EmittedKernel& kernel) {
    EmittedKernel out = kernel;
    if (auto done = take_file(fmt::format("uck_{}.cu", kernel.hash), out.device_source); !done)
      return tl::unexpected(done.error());
    if (kernel.has_host()) {
      if (auto done = take_file(fmt::format("uck_{}_host.cpp", kernel.hash), out.host_source); !done)
        return tl::unexpected(done.error());
    }
    if (auto whole = check_contract(kernel, out); !whole) return tl::unexpected(whole.error());
    if (out.device_source == kernel.device_source && out.host_source == kernel.host_source) return out;
    out.summary += ", edited";
    const std::string symbol = "uck_" + kernel.hash;
    out.device_source = replace_all(std::move(out.device_source), symbol, kKernelSymbol);
    out.host_source = replace_all(std::move(out.host_source), symbol, kKernelSymbol);
    name_kernel(out);
    return out;
  }

  Result<> take_file(const std::string& name, std::string& text) {
    auto found = read(name);
    if (!found) return tl::unexpected(found.error());
    if (*found != text) out_.edited.push_back(name);
    text = std::move(*found);
    return {};
  }

  // Each function that the program's tables name, with parameters or not.
  Result<> check_contract(const EmittedKernel& kernel, const EmittedKernel& edited) const {
    const std::string symbol = "uck_" + kernel.hash;
    std::vector<std::pair<std::string, const std::string*>> wanted;
    for (int part = 0; part < kernel.parts; ++part)
      wanted.emplace_back((part == 0 ? symbol : fmt::format("{}_{}", symbol, part)) + "(",
                          &edited.device_source);
    if (kernel.has_host()) {
      for (const char* name : {"_scratch(", "_params_bytes(", "_shape(", "_prepare("})
        wanted.emplace_back(symbol + name, &edited.host_source);
    }
    for (const auto& [name, text] : wanted) {
      if (text->find(name) != std::string::npos) continue;
      return wrong(fmt::format("the edited kernel defines no `{}`", name.substr(0, name.size() - 1)),
                   "keep the names of its functions and their parameters: the program calls them "
                   "(uc_kernel_args.h says how)");
    }
    return {};
  }

  // An edited program is another one: nothing that is kept by hash may take it for the first.
  void name_again() {
    std::string all = out_.emitted.hash;
    for (const EmittedKernel& kernel : out_.emitted.kernels) all += " " + kernel.hash;
    out_.emitted.hash = out_.compiled.hash = short_hash(all);
    const GlueInput input{out_.compiled.program, out_.compiled.launches, out_.compiled.buffers,
                          out_.emitted.kernels,  out_.emitted.hash,      out_.compiled.source};
    out_.emitted.glue = emit_glue(input);
    out_.emitted.manifest = emit_manifest(input);
  }

  const Catalog& catalog_;
  Files& files_;
  std::string folder_;
  EditedProgram out_;
};

}  // namespace

Result<EditedProgram> read_edited(const Catalog& catalog, Files& files, const std::string& path) {
  return Folder(catalog, files, path).run();
}

}  // namespace uc
