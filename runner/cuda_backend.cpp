// Why: blocks on a CUDA device through the driver API, in the device's primary context, which torch and
// candidates share.
#include <atomic>
#include <cstring>
#include <vector>

#include "backend.h"
#include "cuda_device.h"
#include "kernels_ptx.h"
#include "perturb.h"

namespace uct {
namespace {

CUdeviceptr pointer(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const Driver& driver) : d_(driver) {}

  int open(int ordinal, uct_message* m) {
    UCT_TRY(device_get, &device_, ordinal);
    UCT_TRY(primary_retain, &context_, device_);
    UCT_TRY(set_current, context_);
    if (const int code = describe(d_, ordinal, &info_, m)) return code;
    UCT_TRY(stream_create, &stream_, 1U);  // non-blocking: does not wait for the legacy default stream
    CUmodule module = nullptr;
    UCT_TRY(module_load, &module, kKernelsPtx);
    UCT_TRY(module_function, &perturb_, module, "uct_perturb");
    UCT_TRY(module_function, &flush_, module, "uct_flush");
    UCT_TRY(module_function, &hold_, module, "uct_hold");
    UCT_TRY(module_function, &digest_, module, "uct_digest");
    void* flag = nullptr;
    UCT_TRY(host_alloc, &flag, size_t{64}, 2U);  // device-mapped
    flag_ = static_cast<std::atomic<uint32_t>*>(flag);
    flag_->store(0);
    UCT_TRY(host_pointer, &flag_device_, flag, 0U);
    UCT_TRY(mem_alloc, &counters_, size_t{64});
    has_persistence_ = d_.get_limit(&persisting_limit_, kLimitPersistingL2) == 0;  // older devices have none
    return reset_expired(m);
  }

  ~CudaBackend() override {
    if (!context_) return;
    drop_graph();
    for (const CUevent event : events_) d_.event_destroy(event);
    if (flush_buffer_) d_.mem_free(flush_buffer_);
    if (counters_) d_.mem_free(counters_);
    if (digests_) d_.mem_free(digests_);
    if (flag_) d_.host_free(flag_);
    if (stream_) d_.stream_destroy(stream_);
    d_.primary_release(device_);
  }

  int info(uct_info* out, uct_message*) override {
    *out = info_;
    return 0;
  }
  void* stream() override { return stream_; }

  int alloc(uint64_t bytes, void** out, uct_message* m) override {
    CUdeviceptr data = 0;
    UCT_TRY(mem_alloc, &data, bytes);
    *out = reinterpret_cast<void*>(data);
    return 0;
  }
  int free(void* data, uct_message* m) override {
    UCT_TRY(mem_free, pointer(data));
    return 0;
  }
  int ipc_export(void* data, uint8_t* handle, uct_message* m) override {
    CUipcMemHandle out{};
    UCT_TRY(ipc_get, &out, pointer(data));
    std::memcpy(handle, out.reserved, sizeof out.reserved);
    return 0;
  }
  int ipc_import(const uint8_t* handle, void** out, uct_message* m) override {
    CUipcMemHandle in{};
    std::memcpy(in.reserved, handle, sizeof in.reserved);
    CUdeviceptr data = 0;
    UCT_TRY(ipc_open, &data, in, 1U);  // the flag is required: lazy peer access
    *out = reinterpret_cast<void*>(data);
    return 0;
  }
  int ipc_close(void* data, uct_message* m) override {
    UCT_TRY(ipc_close, pointer(data));
    return 0;
  }
  int copy(void* to, const void* from, uint64_t bytes, bool to_device, uct_message* m) override {
    if (bytes == 0) return 0;
    if (to_device) {
      UCT_TRY(to_device, pointer(to), from, bytes);
    } else {
      UCT_TRY(to_host, to, pointer(from), bytes);
    }
    return 0;
  }
  int sync(uct_message* m) override {
    UCT_TRY(synchronize);
    return 0;
  }

  int perturb(const uct_region& region, uint32_t before, uint32_t after, uct_message* m) override {
    FlipBits bits = flip_bits(region.kind);
    void* data = region.data;
    uint64_t words = region.bytes / 4;
    if (words == 0 || region.kind == UCT_LEAVE) return 0;
    void* args[] = {&data,
                    &words,
                    &before,
                    &after,
                    &bits.low,
                    &bits.high,
                    &bits.low_exponent,
                    &bits.high_exponent,
                    &bits.signs,
                    &bits.odd_only};
    UCT_TRY(launch, perturb_, grid(words, 256), 1, 1, 256, 1, 1, 0, stream_, args, nullptr);
    return 0;
  }
  int poison(void* data, uint64_t bytes, uct_message* m) override {
    if (bytes == 0) return 0;
    if (bytes % 4 == 0) {
      UCT_TRY(fill32, pointer(data), 0xFFFFFFFFU, bytes / 4, stream_);
    } else {
      UCT_TRY(fill8, pointer(data), static_cast<unsigned char>(0xFF), bytes, stream_);
    }
    return 0;
  }
  int flush(uint64_t bytes, uct_message* m) override {
    if (bytes == 0) bytes = 2 * info_.l2_bytes;
    if (bytes > flush_bytes_) {
      if (flush_buffer_) UCT_TRY(mem_free, flush_buffer_);
      flush_bytes_ = 0;
      UCT_TRY(mem_alloc, &flush_buffer_, bytes);
      UCT_TRY(fill32, flush_buffer_, 0U, bytes / 4, stream_);
      flush_bytes_ = bytes;
    }
    uint64_t count = bytes / 16;
    CUdeviceptr sink = counters_ + 32;
    void* args[] = {&flush_buffer_, &count, &sink};
    UCT_TRY(launch, flush_, grid(count, 512), 1, 1, 512, 1, 1, 0, stream_, args, nullptr);
    return 0;
  }
  int hold(uint32_t ticket, uint32_t limit_us, uint32_t settle_us, int counter, uct_message* m) override {
    uint64_t limit_ns = uint64_t{limit_us} * 1000, settle_ns = uint64_t{settle_us} * 1000;
    CUdeviceptr expired = counters_ + static_cast<CUdeviceptr>(4 * counter);
    void* args[] = {&flag_device_, &ticket, &limit_ns, &settle_ns, &expired};
    UCT_TRY(launch, hold_, 1, 1, 1, 1, 1, 1, 0, stream_, args, nullptr);
    return 0;
  }
  void release(uint32_t ticket) override { flag_->store(ticket, std::memory_order_release); }

  int mark(uint32_t index, uct_message* m) override {
    UCT_TRY(event_record, events_[index], stream_);
    return 0;
  }
  int digest(const uct_region& region, uint32_t slot, uct_message* m) override {
    const void* data = region.data;
    uint64_t words = region.bytes / 4;
    if (words == 0) return 0;
    CUdeviceptr out = digests_ + slot * sizeof(Digest);
    void* args[] = {&data, &words, &out};
    UCT_TRY(launch, digest_, grid(words, 256), 1, 1, 256, 1, 1, 0, stream_, args, nullptr);
    return 0;
  }
  int reserve_digests(uint32_t count, uct_message* m) override {
    if (count > digest_room_) {
      if (digests_) UCT_TRY(mem_free, digests_);
      digest_room_ = 0;
      UCT_TRY(mem_alloc, &digests_, count * sizeof(Digest));
      digest_room_ = count;
    }
    digest_count_ = count;
    if (count) UCT_TRY(fill32, digests_, 0U, size_t{count} * 2, stream_);
    return 0;
  }
  int read_digests(std::vector<Digest>* out, uct_message* m) override {
    out->resize(digest_count_);
    if (digest_count_) UCT_TRY(to_host, out->data(), digests_, digest_count_ * sizeof(Digest));
    return 0;
  }
  int reserve_marks(uint32_t count, uct_message* m) override {
    while (events_.size() < count) {
      CUevent event = nullptr;
      UCT_TRY(event_create, &event, 0U);
      events_.push_back(event);
    }
    return 0;
  }
  int between(uint32_t first, uint32_t second, double* us, uct_message* m) override {
    float ms = 0;
    UCT_TRY(event_elapsed, &ms, events_[first], events_[second]);
    *us = static_cast<double>(ms) * 1e3;
    return 0;
  }
  int reset_expired(uct_message* m) override {
    UCT_TRY(fill32, counters_, 0U, size_t{16}, stream_);
    return 0;
  }
  int read_expired(int counter, uint32_t* out, uct_message* m) override {
    UCT_TRY(to_host, out, counters_ + static_cast<CUdeviceptr>(4 * counter), sizeof *out);
    return 0;
  }

  int begin_capture(uct_message* m) override {
    drop_graph();
    UCT_TRY(begin_capture, stream_, kCaptureThreadLocal);
    return 0;
  }
  int end_capture(uct_message* m) override {
    CUgraph graph = nullptr;
    UCT_TRY(end_capture, stream_, &graph);
    const CUresult code = d_.instantiate(&graph_, graph, 0ULL);
    d_.graph_destroy(graph);
    return code ? failed(d_, m, "instantiate", code) : 0;
  }
  int replay(uct_message* m) override {
    UCT_TRY(graph_launch, graph_, stream_);
    return 0;
  }

  int reset_persistence(uct_message* m) override {
    if (has_persistence_) UCT_TRY(reset_persisting);
    return 0;
  }
  int check_persistence(uct_message* m) override {
    if (!has_persistence_) return 0;
    size_t limit = 0;
    UCT_TRY(get_limit, &limit, kLimitPersistingL2);
    if (limit != persisting_limit_)
      return report(m, -2, "persistence", "the size set aside for persisting L2 was changed");
    CUstreamAttrValue window{};
    UCT_TRY(stream_attribute, stream_, kStreamAttrAccessPolicy, &window);
    if (window.num_bytes != 0)
      return report(m, -2, "persistence", "the stream was given a persisting L2 window");
    return 0;
  }

 private:
  unsigned grid(uint64_t items, unsigned threads) const {
    const uint64_t blocks = (items + threads - 1) / threads;
    const uint64_t most = static_cast<uint64_t>(info_.sm_count) * 8;
    return static_cast<unsigned>(blocks < most ? blocks : most);
  }
  void drop_graph() {
    if (graph_) d_.exec_destroy(graph_);
    graph_ = nullptr;
  }

  const Driver& d_;
  uct_info info_{};
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUfunction perturb_ = nullptr, flush_ = nullptr, hold_ = nullptr, digest_ = nullptr;
  std::atomic<uint32_t>* flag_ = nullptr;
  CUdeviceptr flag_device_ = 0, counters_ = 0, flush_buffer_ = 0, digests_ = 0;
  uint32_t digest_room_ = 0, digest_count_ = 0;
  uint64_t flush_bytes_ = 0;
  size_t persisting_limit_ = 0;
  bool has_persistence_ = false;
  CUgraphExec graph_ = nullptr;
  std::vector<CUevent> events_;
};

}  // namespace

std::unique_ptr<Backend> open_cuda(int ordinal, uct_message* m) {
  const Driver* driver = driver_or(m);
  if (!driver) return nullptr;
  auto backend = std::make_unique<CudaBackend>(*driver);
  if (backend->open(ordinal, m)) return nullptr;
  return backend;
}

}  // namespace uct
