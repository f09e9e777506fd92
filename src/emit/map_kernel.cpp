#include "emit/map_kernel.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/scalar_fn.h"
#include "emit/cpp_tree.h"
#include "emit/kernel_hash.h"
#include "emit/map_body.h"

namespace uc {

using cpp::block;
using cpp::line;

std::string map_refuses(const Map& kernel) {
  if (kernel.bodies.size() > 4) return "one launch converts at most 4 tensors";
  for (const Map::Body& body : kernel.bodies) {
    if (body.scalar.views.size() > 12) return "one launch reads and writes at most 12 tensors";
    if (std::string why = map_body_refuses(body); !why.empty()) return why;
    for (const Node& node : body.scalar.nodes) {
      if (node.kind == Node::Kind::call && compute_type(node.type) != DType::f32)
        return "it computes in f32 only yet, not in f64 or integers";
    }
  }
  return {};
}

EmittedKernel emit_map(const Map& kernel, const MapConfig& config, std::string_view arch) {
  cpp::File file;
  EmittedKernel out;
  out.arch = arch;
  std::vector<cpp::Statement> body{line("const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x")};
  out.summary = "map";
  const int64_t threads = config.threads == 0 ? kMapThreads : config.threads;
  int64_t shared = 0;
  for (size_t i = 0; i < kernel.bodies.size(); ++i) {
    const CollapsedBody collapsed = collapse(kernel.bodies[i], config.vector);
    auto statements = map_statements(kernel.bodies[i], collapsed, i, threads);
    out.summary += fmt::format(" rank {} vector {}", collapsed.shape.size(), collapsed.vector);
    if (collapsed.tile) {
      out.summary += " " + tile_text(collapsed);
      shared = std::max(shared, collapsed.tile->shared_bytes);
    }
    body.push_back(kernel.bodies.size() == 1
                       ? block("", std::move(statements))
                       : block(fmt::format("if (blockIdx.y == {})", i), std::move(statements)));
  }
  if (shared > 0) body.insert(body.begin(), line(fmt::format("UC_SHARED(shared, {})", shared)));
  file.decls.push_back(cpp::Comment{out.summary});
  file.decls.push_back(cpp::Include{"\"uc_kernel_args.h\""});
  file.decls.push_back(cpp::Include{"\"uc_math.cuh\""});
  file.decls.push_back(cpp::Include{"\"uc_round.cuh\""});
  if (shared > 0) file.decls.push_back(cpp::Include{"\"uc_tile.cuh\""});
  file.decls.push_back(cpp::Function{
      fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}", threads, kKernelSymbol),
      {"__grid_constant__ const uck_map map"},
      std::move(body)});
  out.device_source = print(file);
  name_kernel(out);
  return out;
}

}  // namespace uc
