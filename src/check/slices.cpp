#include "check/slices.h"

#include <algorithm>

namespace uc {

bool in_slices(const Contraction& kernel, const ContractionConfig& config) {
  using Scheduler = ContractionConfig::Scheduler;
  const bool asked = config.scheduler == Scheduler::automatic && config.split > 1;
  return (asked || config.scheduler == Scheduler::split_k) && kernel.math != Math::f16x3;
}

Contraction slice_product(const Contraction& kernel) {
  constexpr int64_t kVector = 4;  // of 4 bytes each
  Contraction out = kernel;
  const int64_t pitch = (kernel.n() + kVector - 1) / kVector * kVector;
  View sums;
  // Named for findings: what the program stores.
  const std::vector<Effect>& effects = kernel.epilogue.effects;
  sums.value = effects.empty() ? kernel.a.value : kernel.epilogue.views[effects[0].view].value;
  sums.dtype = kernel.accumulate;
  sums.shape = {kernel.batch(), kernel.m(), kernel.n()};
  sums.stride = {kernel.m() * pitch, pitch, 1};
  Node running;
  running.kind = Node::Kind::running;
  running.type = compute_type(kernel.accumulate);
  out.epilogue = Scalar{};
  out.epilogue.nodes = {running};
  out.epilogue.views = {sums};
  out.epilogue.effects = {{NodeId(0), 0}};
  return out;
}

ContractionConfig slice_config(const ContractionConfig& config) {
  ContractionConfig out = config;
  out.scheduler = ContractionConfig::Scheduler::persistent;
  out.split = 0;
  return out;
}

Slices slices_of(int64_t k, int64_t tile_k, int64_t asked) {
  const auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t tiles = up(k, std::max<int64_t>(1, tile_k));
  Slices out;
  out.tiles = up(tiles, std::max<int64_t>(1, asked));
  out.count = up(tiles, std::max<int64_t>(1, out.tiles));
  return out;
}

}  // namespace uc
