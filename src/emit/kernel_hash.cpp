#include "emit/kernel_hash.h"

#include <fmt/format.h>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "emit/templates.h"

namespace uc {
namespace {

// The text of each support file that `text` includes, and of what those include.
void append_included(const std::string& text, std::set<std::string_view>& seen, std::string& out) {
  for (const std::string_view file : support_files()) {
    if (text.find(fmt::format("#include \"{}\"", file)) == std::string::npos) continue;
    if (!seen.insert(file).second) continue;
    const std::string included(support_file(file));
    out += included;
    append_included(included, seen, out);
  }
}

}  // namespace

void name_kernel(EmittedKernel& kernel) {
  std::string all =
      "emitter 2\n" + kernel.arch + "\n" + kernel.device_source + "\n" + kernel.host_source + "\n";
  std::set<std::string_view> seen;
  append_included(kernel.device_source + kernel.host_source, seen, all);
  kernel.hash = short_hash(all);
  const std::string symbol = "uck_" + kernel.hash;
  kernel.device_source = replace_all(std::move(kernel.device_source), kKernelSymbol, symbol);
  kernel.host_source = replace_all(std::move(kernel.host_source), kKernelSymbol, symbol);
}

}  // namespace uc
