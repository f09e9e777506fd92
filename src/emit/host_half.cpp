#include "emit/host_half.h"

#include <fmt/format.h>

#include "emit/kernel_hash.h"

namespace uc {

cpp::File host_file(std::initializer_list<std::string_view> headers) {
  cpp::File file;
  file.decls.push_back(cpp::Define{"UC_HOST_HALF"});
  file.decls.push_back(cpp::Include{fmt::format("\"{}.cu\"", kKernelSymbol)});
  for (const std::string_view header : headers) file.decls.push_back(cpp::Include{std::string(header)});
  return file;
}

void add_host_functions(cpp::File& file, std::string_view prefix, HostBodies bodies) {
  const auto add = [&](std::string_view type, std::string_view name, std::vector<std::string> params,
                       std::vector<cpp::Statement>& body) {
    file.decls.push_back(cpp::Function{fmt::format("extern \"C\" {} {}_{}", type, prefix, name),
                                       std::move(params), std::move(body)});
  };
  const std::string part = bodies.parts ? "int part" : "int";
  const std::string sizes = "const uck_gemm* x";
  add("int64_t", "scratch", {bodies.sized ? sizes : "const uck_gemm*"}, bodies.scratch);
  if (!bodies.packed.empty()) add("int64_t", "packed", {sizes}, bodies.packed);
  add("int", "params_bytes", {part}, bodies.params_bytes);
  add("void", "shape", {part, "uck_geometry* geometry"}, bodies.shape);
  add("int", "prepare", {sizes, part, "void* params", "uck_geometry* geometry"}, bodies.prepare);
}

}  // namespace uc
