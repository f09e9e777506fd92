#include "compiler/artifacts.h"

#include <fmt/format.h>
#include <set>

#include "compiler/standalone.h"
#include "emit/templates.h"

namespace uc {

Result<std::vector<std::string>> write_artifacts(const Catalog& catalog, const Compiled& compiled,
                                                 const EmittedProgram& emitted, const ArtifactForms& forms,
                                                 const std::string& folder, Files& files) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::string stem = "ucutlass_" + emitted.hash;
  out.emplace_back(stem + ".uc", compiled.source);
  out.emplace_back(stem + ".json", emitted.manifest);
  if (forms.header) out.emplace_back(stem + ".h", emit_header(compiled));
  if (forms.torch) out.emplace_back(stem + ".py", emit_torch(compiled));
  if (forms.standalone) out.emplace_back(stem + "_bench.cu", emit_standalone(catalog, compiled));
  if (forms.cu) {
    out.emplace_back(stem + ".cpp", emitted.glue);
    std::set<std::string> seen;  // launches may share a kernel
    for (const EmittedKernel& kernel : emitted.kernels) {
      if (!seen.insert(kernel.hash).second) continue;
      out.emplace_back(fmt::format("uck_{}.cu", kernel.hash), kernel.device_source);
      if (kernel.has_host())
        out.emplace_back(fmt::format("uck_{}_host.cpp", kernel.hash), kernel.host_source);
    }
  }
  for (const std::string_view name : support_files()) {
    if (forms.cu || name == "uc_abi.h" || forms.standalone) out.emplace_back(name, support_file(name));
  }
  std::vector<std::string> names;
  if (const auto made = files.make_folder(folder); !made) return tl::unexpected(made.error());
  for (const auto& [name, text] : out) {
    if (const auto written = files.write(folder + "/" + name, text); !written)
      return tl::unexpected(written.error());
    names.push_back(name);
  }
  return names;
}

}  // namespace uc
