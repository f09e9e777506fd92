// Writes past the end of its workspace.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 4096;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void* workspace, ucutlass_stream stream) {
  if (dev_fill(static_cast<char*>(workspace) + 4096, 0, 64, stream)) return 1;
  return dev_linear(p, stream);
}
