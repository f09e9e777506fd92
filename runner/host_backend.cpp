// Why: the same blocks on host memory, so that every part but CUDA itself is tested on a machine without a
// GPU.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

#include "backend.h"
#include "perturb.h"

namespace uct {
namespace {

class HostBackend final : public Backend {
 public:
  ~HostBackend() override {
    for (const auto& [data, bytes] : blocks_) ::munmap(data, bytes);
  }
  int info(uct_info* out, uct_message*) override {
    identify_host(out);
    return 0;
  }
  void* stream() override { return this; }

  int alloc(uint64_t bytes, void** out, uct_message* m) override {
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return report(m, errno, "mmap", std::strerror(errno));
    blocks_[data] = bytes;
    *out = data;
    return 0;
  }
  int free(void* data, uct_message* m) override {
    const auto it = blocks_.find(data);
    if (it == blocks_.end()) return report(m, EINVAL, "free", "not allocated here");
    ::munmap(data, it->second);
    blocks_.erase(it);
    return 0;
  }
  int ipc_export(void*, uint8_t*, uct_message* m) override { return no_ipc(m); }
  int ipc_import(const uint8_t*, void**, uct_message* m) override { return no_ipc(m); }
  int ipc_close(void*, uct_message* m) override { return no_ipc(m); }
  int copy(void* to, const void* from, uint64_t bytes, bool, uct_message*) override {
    std::memcpy(to, from, bytes);
    return 0;
  }
  int sync(uct_message*) override { return 0; }

  int perturb(const uct_region& r, uint32_t before, uint32_t after, uct_message*) override {
    perturb_host(r.data, r.bytes / 4, r.kind, before, after);
    return 0;
  }
  int poison(void* data, uint64_t bytes, uct_message*) override {
    std::memset(data, 0xFF, bytes);
    return 0;
  }
  int flush(uint64_t bytes, uct_message*) override {
    cache_.resize(bytes ? bytes / 8 : size_t{1} << 15);
    uint64_t sum = 0;
    for (const uint64_t word : cache_) sum |= word;
    sink_ = sum;
    return 0;
  }
  int hold(uint32_t, uint32_t, uint32_t, int, uct_message*) override { return 0; }
  void release(uint32_t) override {}
  int mark(uint32_t index, uct_message*) override {
    marks_[index] = host_us();
    return 0;
  }
  int digest(const uct_region& r, uint32_t slot, uct_message*) override {
    digests_[slot] = digest_words(r.data, r.bytes / 4);
    return 0;
  }
  int reserve_digests(uint32_t count, uct_message*) override {
    digests_.assign(count, {});
    return 0;
  }
  int read_digests(std::vector<Digest>* out, uct_message*) override {
    *out = digests_;
    return 0;
  }
  int reserve_marks(uint32_t count, uct_message*) override {
    marks_.assign(count, 0);
    return 0;
  }
  int between(uint32_t first, uint32_t second, double* us, uct_message*) override {
    *us = marks_[second] - marks_[first];
    return 0;
  }
  int reset_expired(uct_message*) override { return 0; }
  int read_expired(int, uint32_t* out, uct_message*) override {
    *out = 0;
    return 0;
  }
  int begin_capture(uct_message* m) override {
    return report(m, ENOSYS, "capture", "the host has no graphs");
  }
  int end_capture(uct_message* m) override { return begin_capture(m); }
  int replay(uct_message* m) override { return begin_capture(m); }
  int reset_persistence(uct_message*) override { return 0; }
  int check_persistence(uct_message*) override { return 0; }

 private:
  static int no_ipc(uct_message* m) {
    return report(m, ENOSYS, "ipc", "host memory is shared through files");
  }

  std::unordered_map<void*, uint64_t> blocks_;
  std::vector<uint64_t> cache_;
  std::vector<double> marks_;
  std::vector<Digest> digests_;
  volatile uint64_t sink_ = 0;
};

}  // namespace

std::unique_ptr<Backend> open_host() { return std::make_unique<HostBackend>(); }

void identify_host(uct_info* out) {
  *out = {};
  std::snprintf(out->name, sizeof out->name, "host memory");
  std::snprintf(out->uuid, sizeof out->uuid, "host");
  out->ordinal = -1;
}

}  // namespace uct
