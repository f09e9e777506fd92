// Writes NaN.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
  return dev_fill(p.y, 0x7FC00000u, p.y_bytes(), stream);
}
