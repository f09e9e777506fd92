// Right, and then some bytes past the end of the output.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
  if (dev_linear(p, stream)) return 1;
  return dev_fill(reinterpret_cast<char*>(p.y) + p.y_bytes(), 0, 64, stream);
}
