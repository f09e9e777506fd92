// Believes that its workspace arrives as zeros.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 4096;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void* workspace, ucutlass_stream stream) {
  if (dev_linear(p, stream)) return 1;
  return dev_copy(p.y, workspace, 4, stream);
}
