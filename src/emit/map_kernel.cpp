#include "emit/map_kernel.h"

#include <algorithm>
#include <fmt/format.h>

#include "emit/cpp_tree.h"
#include "emit/kernel_hash.h"
#include "emit/map_body.h"

namespace uc {

namespace {
constexpr size_t kFewBodies = 4;       // of uck_map
constexpr size_t kMostParams = 32760;  // bytes of parameters, uc_maps.cuh

size_t most_views(const Map& kernel) {
  size_t out = 0;
  for (const Map::Body& body : kernel.bodies) out = std::max(out, body.scalar.views.size());
  return out;
}

// Of uck_maps: a count and eight extents, and an address and eight strides a view.
size_t body_bytes(const Map& kernel) { return 72 + 72 * most_views(kernel); }

// Bodies whose statements are the same but for the numbers that they are given.
struct Alike {
  std::string text, condition;
  std::vector<cpp::Statement> statements;
};

std::string text_of(const std::vector<cpp::Statement>& statements) {
  std::string out;
  for (const cpp::Statement& each : statements) out += each.text + "{" + text_of(each.body) + "}";
  return out;
}

}  // namespace

using cpp::block;
using cpp::line;

std::string map_refuses(const Map& kernel) {
  if (kernel.bodies.size() > kFewBodies && kernel.bodies.size() * body_bytes(kernel) > kMostParams)
    return fmt::format("one launch makes at most {} tensors, or boxes of one, of {} tensors each",
                       kMostParams / body_bytes(kernel), most_views(kernel));
  for (const Map::Body& body : kernel.bodies) {
    if (body.scalar.views.size() > 12) return "one launch reads and writes at most 12 tensors";
    if (std::string why = map_body_refuses(body); !why.empty()) return why;
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
  const bool few = kernel.bodies.size() <= kFewBodies;
  std::vector<Alike> all;
  for (size_t i = 0; i < kernel.bodies.size(); ++i) {
    const CollapsedBody collapsed = collapse(kernel.bodies[i], config.vector);
    auto statements = map_statements(kernel.bodies[i], collapsed, i, few, threads);
    if (collapsed.tile) shared = std::max(shared, collapsed.tile->shared_bytes);
    std::string text = text_of(statements);
    const auto same = few ? all.end() : std::ranges::find(all, text, &Alike::text);
    if (same != all.end()) {
      same->condition += fmt::format(" || blockIdx.y == {}", i);
      continue;
    }
    all.push_back({std::move(text), fmt::format("blockIdx.y == {}", i), std::move(statements)});
    out.summary += fmt::format(" rank {} vector {}", collapsed.shape.size(), collapsed.vector);
    if (collapsed.tile) out.summary += " " + tile_text(collapsed);
  }
  for (Alike& each : all) {
    body.push_back(kernel.bodies.size() == 1
                       ? block("", std::move(each.statements))
                       : block(fmt::format("if ({})", each.condition), std::move(each.statements)));
  }
  if (shared > 0) body.insert(body.begin(), line(fmt::format("UC_SHARED(shared, {})", shared)));
  file.decls.push_back(cpp::Comment{out.summary});
  file.decls.push_back(cpp::Include{"\"uc_kernel_args.h\""});
  file.decls.push_back(cpp::Include{"\"uc_math.cuh\""});
  file.decls.push_back(cpp::Include{"\"uc_round.cuh\""});
  if (shared > 0) file.decls.push_back(cpp::Include{"\"uc_tile.cuh\""});
  if (!few) file.decls.push_back(cpp::Include{"\"uc_maps.cuh\""});
  file.decls.push_back(cpp::Function{
      fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}", threads, kKernelSymbol),
      {few ? "__grid_constant__ const uck_map map"
           : fmt::format("__grid_constant__ const uck_maps<{}, {}> map", kernel.bodies.size(),
                         most_views(kernel))},
      std::move(body)});
  out.device_source = print(file);
  name_kernel(out);
  return out;
}

}  // namespace uc
