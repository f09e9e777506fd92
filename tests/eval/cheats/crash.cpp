// Reads an address near zero on the host.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

static volatile uintptr_t g_nowhere = 8;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem&, const void*, void*, ucutlass_stream) {
  return *reinterpret_cast<volatile const int*>(g_nowhere);
}
