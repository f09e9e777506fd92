// A kernel that writes where nothing is. GPU only.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;
int dev_launch(const char* kernel, unsigned blocks, unsigned threads, void** args, ucutlass_stream stream);

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
  void* base = p.y;
  void* args[] = {&base};
  return dev_launch("wild", 1, 32, args, stream);
}
