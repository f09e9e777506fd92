// Writes an endless line to every descriptor that it can find.
#include <unistd.h>

#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
  static char text[65536];
  memset(text, 'x', sizeof text);
  for (int i = 0; i < 1000; ++i) (void)!write(3, text, sizeof text);
  return dev_linear(p, stream);
}
