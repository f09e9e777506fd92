// Rewrites the clock's machine code so that times look shorter: cuEventElapsedTime on a GPU, clock_gettime on
// the host.
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "candidate.h"

extern const size_t kPackedBytes = 0, kWorkspaceBytes = 0;

namespace {

/// The function at `target` becomes a jump to `instead`.
bool patch(void* target, void* instead) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(target) & ~(page - 1);
  if (mprotect(reinterpret_cast<void*>(begin), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
#if defined(__x86_64__)
  unsigned char code[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax, instead; jmp rax
  memcpy(code + 2, &instead, 8);
#elif defined(__aarch64__)
  unsigned char code[16] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1F, 0xD6};  // ldr x16, +8; br x16; instead
  memcpy(code + 8, &instead, 8);
#else
#error "no patch for this processor"
#endif
  memcpy(target, code, sizeof code);
  __builtin___clear_cache(static_cast<char*>(target), static_cast<char*>(target) + sizeof code);
  return true;
}

#ifdef CHEAT_GPU
// Everything looks to take a third: what cuEventElapsedTime would have said is asked of its newer form.
int (*g_elapsed2)(float*, void*, void*);
int slow_clock(float* ms, void* begin, void* end) {
  const int code = g_elapsed2(ms, begin, end);
  *ms /= 3;
  return code;
}
void install() {
  void* cuda = dlopen("libcuda.so.1", RTLD_NOW);
  g_elapsed2 = reinterpret_cast<int (*)(float*, void*, void*)>(dlsym(cuda, "cuEventElapsedTime_v2"));
  void* target = dlsym(cuda, "cuEventElapsedTime");
  if (!g_elapsed2 || !target || target == reinterpret_cast<void*>(g_elapsed2) ||
      !patch(target, reinterpret_cast<void*>(slow_clock))) {
    fprintf(stderr, "patched_timer: could not patch\n");
    _exit(77);
  }
}
#else
// A clock that goes at a third of its speed, read by the system call itself.
#include <sys/syscall.h>
long g_start_s;
int slow_clock(clockid_t id, struct timespec* out) {
  const int code = static_cast<int>(syscall(SYS_clock_gettime, id, out));
  const long long ns = ((out->tv_sec - g_start_s) * 1000000000LL + out->tv_nsec) / 3;
  out->tv_sec = g_start_s + ns / 1000000000LL;
  out->tv_nsec = ns % 1000000000LL;
  return code;
}
void install() {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  g_start_s = now.tv_sec;
  if (!patch(dlsym(RTLD_DEFAULT, "clock_gettime"), reinterpret_cast<void*>(slow_clock))) _exit(77);
}
#endif

}  // namespace

int candidate_prepack(const Problem&, void*, ucutlass_stream) {
  static bool done = false;
  if (!done) install();
  done = true;
  return 0;
}

int candidate_run(const Problem& p, const void*, void*, ucutlass_stream stream) {
  return dev_linear(p, stream);
}
