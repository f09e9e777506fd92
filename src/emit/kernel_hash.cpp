#include "emit/kernel_hash.h"

#include "base/hash.h"
#include "base/text.h"
#include "emit/templates.h"

namespace uc {

void name_kernel(EmittedKernel& kernel) {
  std::string all =
      "emitter 2\n" + kernel.arch + "\n" + kernel.device_source + "\n" + kernel.host_source + "\n";
  for (const std::string_view file : support_files()) {
    // The runtime and the ABI are the program's, not the kernel's.
    if (file != "uc_runtime.h" && file != "uc_abi.h") all += support_file(file);
  }
  kernel.hash = short_hash(all);
  const std::string symbol = "uck_" + kernel.hash;
  kernel.device_source = replace_all(std::move(kernel.device_source), kKernelSymbol, symbol);
  kernel.host_source = replace_all(std::move(kernel.host_source), kKernelSymbol, symbol);
}

}  // namespace uc
