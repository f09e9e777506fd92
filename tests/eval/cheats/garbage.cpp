// Writes nonsense to every descriptor that it can find.
#include <unistd.h>

#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

int candidate_prepack(const Problem&, void*, ucutlass_stream) { return 0; }

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
  for (int fd = 3; fd < 32; ++fd) (void)!write(fd, "}{ nonsense\n", 12);
  return dev_linear(p, stream);
}
