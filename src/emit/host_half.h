#pragma once
// Why: every kernel has a host half that g++ compiles, and all of them are called in the same way: by the
// functions of templates/uc_kernel_args.h, whose heads stand here once.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "emit/cpp_tree.h"

namespace uc {

/// What the functions of a host half do.
struct HostBodies {
  std::vector<cpp::Statement> scratch;  ///< returns bytes of memory between its device functions
  std::vector<cpp::Statement> packed =
      {};  ///< returns those that stay while weights do; empty: no such function
  std::vector<cpp::Statement> params_bytes;  ///< returns the size of a device function's parameters
  std::vector<cpp::Statement> shape;         ///< fills in grid and block, as far as they hold for all sizes
  std::vector<cpp::Statement> prepare;  ///< fills in parameters, grid and block; returns 0, or what is wrong
  bool sized = false;                   ///< `scratch` reads sizes: x
  bool parts = false;                   ///< there are several device functions: the rest reads `part`
};

/// The file of a host half: it is one, it includes the device half, and then the headers, as they are quoted.
cpp::File host_file(std::initializer_list<std::string_view> headers);

/// Appends `prefix`_scratch and the others. `prefix` is kKernelSymbol, or the name of a half inside of
/// another.
void add_host_functions(cpp::File& file, std::string_view prefix, HostBodies bodies);

}  // namespace uc
