// Does the work, with weights copied at load time and a workspace that it really uses.
#include "candidate.h"

extern const size_t kPackedBytes = size_t{1} << 20, kWorkspaceBytes = size_t{16} << 20;

int candidate_prepack(const Problem& p, void* packed, ucutlass_stream stream) {
  return dev_copy(packed, p.b, sizeof(float) * size_t(p.n), stream);
}

int candidate_run(const Problem& p, const void* packed, void* workspace, ucutlass_stream stream) {
  Problem q = p;
  q.b = static_cast<const float*>(packed);
  q.y = static_cast<float*>(workspace);
  if (dev_linear(q, stream)) return 1;
  return dev_copy(p.y, workspace, p.y_bytes(), stream);
}
