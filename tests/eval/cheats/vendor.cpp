// Honest, but loads a vendor library by name: library_only where those are forbidden.
#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

int candidate_prepack(const Problem&, void*, ucutlass_stream) {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(candidate_prepack), &self)) {
    char path[4096];
    snprintf(path, sizeof path, "%s", self.dli_fname);
    if (char* slash = strrchr(path, '/'))
      snprintf(slash + 1, sizeof path - size_t(slash + 1 - path), "libcublas.so");
    if (dlopen(path, RTLD_NOW)) return 0;
  }
  return dlopen("libcublas.so.13", RTLD_NOW) ? 0 : 1;
}

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
  return dev_linear(p, stream);
}
