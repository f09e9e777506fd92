#include "plan/buffers.h"

#include <algorithm>
#include <cstdint>

namespace uc {
namespace {

constexpr size_t kAlign = 256;

size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

size_t bytes_of(const Value& value) {
  int64_t last = 0;
  for (size_t d = 0; d < value.shape.size(); ++d) last += (value.shape[d] - 1) * value.stride[d];
  return aligned(static_cast<size_t>((last + 1) * size_bytes(value.dtype)));
}

// A stretch of workspace, in use from its first launch to its last.
struct Block {
  size_t offset;
  size_t bytes;
  size_t first;
  size_t last;
};

// The lowest offset at which nothing that lives at the same time is in the way.
size_t place(const std::vector<Block>& blocks, const Block& wanted) {
  std::vector<const Block*> rivals;
  for (const Block& block : blocks) {
    if (block.first <= wanted.last && wanted.first <= block.last) rivals.push_back(&block);
  }
  std::sort(rivals.begin(), rivals.end(),
            [](const Block* a, const Block* b) { return a->offset < b->offset; });
  size_t offset = 0;
  for (const Block* rival : rivals) {
    if (offset + wanted.bytes <= rival->offset) break;
    offset = std::max(offset, rival->offset + rival->bytes);
  }
  return offset;
}

}  // namespace

BufferPlan plan_buffers(const Program& program, const std::vector<Launch>& launches) {
  BufferPlan plan;
  plan.location.resize(program.values.size());
  const auto set = [&](ValueId id, Location::Kind kind, size_t index) {
    plan.location[program[id].root.index()] = {kind, index, 0};
  };
  for (size_t i = 0; i < program.inputs.size(); ++i) set(program.inputs[i], Location::Kind::input, i);
  for (size_t i = 0; i < program.params.size(); ++i) set(program.params[i], Location::Kind::param, i);
  for (size_t i = 0; i < program.results.size(); ++i) set(program.results[i], Location::Kind::output, i);
  struct Use {
    size_t first = SIZE_MAX;
    size_t last = 0;
    bool load = false;  // made when the weights are loaded: kept for every call
  };
  std::vector<Use> uses(program.values.size());
  for (size_t i = 0; i < launches.size(); ++i) {
    for (const View* view : views_of(launches[i].kernel)) {
      Use& use = uses[view->value.index()];
      if (use.first == SIZE_MAX) use.load = launches[i].phase == Phase::load;
      use.first = std::min(use.first, i);
      use.last = i;
    }
  }
  std::vector<Block> blocks;
  for (size_t v = 0; v < uses.size(); ++v) {
    if (uses[v].first == SIZE_MAX || plan.location[v].kind != Location::Kind::none) continue;
    const size_t bytes = bytes_of(program.values[v]);
    if (uses[v].load) {
      plan.location[v] = {Location::Kind::packed, 0, plan.packed_bytes};
      plan.packed_bytes += bytes;
      continue;
    }
    Block block{0, bytes, uses[v].first, uses[v].last};
    block.offset = place(blocks, block);
    plan.location[v] = {Location::Kind::workspace, 0, block.offset};
    plan.workspace_bytes = std::max(plan.workspace_bytes, block.offset + bytes);
    blocks.push_back(block);
  }
  for (size_t v = 0; v < plan.location.size(); ++v)
    plan.location[v] = plan.location[program.values[v].root.index()];
  return plan;
}

}  // namespace uc
