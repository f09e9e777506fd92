// Never returns.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

static volatile int g_go_on = 1;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem&, const void*, void*, ucutlass_stream) {
  while (g_go_on) {
  }
  return 0;
}
