// Leaves the bias out.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = size_t{1} << 20;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void* workspace, ucutlass_stream stream) {
  Problem q = p;
  q.b = static_cast<const float*>(workspace);
  if (dev_fill(workspace, 0, sizeof(float) * size_t(p.n), stream)) return 1;
  return dev_linear(q, stream);
}
