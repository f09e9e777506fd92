#pragma once
// Why: blocks and batches are one algorithm over two devices: a CUDA GPU, and host memory for tests without
// one.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perturb.h"
#include "timing.h"

namespace uct {

/// Fills a message and returns its (non-zero) code.
int report(uct_message* message, int code, std::string_view where, std::string_view text);

/// What a timed run needs from a device. Calls that "enqueue" return before the device has done the work. All
/// return 0 or the code that was put in the message.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual int info(uct_info* out, uct_message* m) = 0;
  virtual void* stream() = 0;

  virtual int alloc(uint64_t bytes, void** out, uct_message* m) = 0;
  virtual int free(void* data, uct_message* m) = 0;
  virtual int ipc_export(void* data, uint8_t* handle, uct_message* m) = 0;
  virtual int ipc_import(const uint8_t* handle, void** out, uct_message* m) = 0;
  virtual int ipc_close(void* data, uct_message* m) = 0;
  virtual int copy(void* to, const void* from, uint64_t bytes, bool to_device, uct_message* m) = 0;
  virtual int sync(uct_message* m) = 0;

  /// Enqueue.
  virtual int perturb(const uct_region& region, uint32_t before, uint32_t after, uct_message* m) = 0;
  virtual int poison(void* data, uint64_t bytes, uct_message* m) = 0;
  virtual int flush(uint64_t bytes, uct_message* m) = 0;
  /// Enqueues a hold that ends settle_us after release(ticket) was called, or after limit_us; expiries count
  /// in `counter` (0, 1).
  virtual int hold(uint32_t ticket, uint32_t limit_us, uint32_t settle_us, int counter, uct_message* m) = 0;
  virtual void release(uint32_t ticket) = 0;
  /// Enqueues time mark `index` (0 .. marks-1 of reserve_marks).
  virtual int mark(uint32_t index, uct_message* m) = 0;

  /// Enqueues the digest of a region into `slot` (0 .. count-1 of reserve_digests). A last half word counts
  /// not.
  virtual int digest(const uct_region& region, uint32_t slot, uct_message* m) = 0;

  /// All slots become {0, 0}.
  virtual int reserve_digests(uint32_t count, uct_message* m) = 0;
  /// After sync(): the slots.
  virtual int read_digests(std::vector<Digest>* out, uct_message* m) = 0;
  virtual int reserve_marks(uint32_t count, uct_message* m) = 0;
  virtual int between(uint32_t first, uint32_t second, double* us, uct_message* m) = 0;
  virtual int reset_expired(uct_message* m) = 0;
  virtual int read_expired(int counter, uint32_t* out, uct_message* m) = 0;

  virtual int begin_capture(uct_message* m) = 0;
  virtual int end_capture(uct_message* m) = 0;  ///< keeps the graph for replay()
  virtual int replay(uct_message* m) = 0;       ///< enqueues the kept graph
  virtual int reset_persistence(uct_message* m) = 0;
  virtual int check_persistence(uct_message* m) = 0;
};

/// Null, with the message filled, when it cannot be opened.
std::unique_ptr<Backend> open_cuda(int ordinal, uct_message* m);
std::unique_ptr<Backend> open_host();
/// Info without a context on the device.
int identify_cuda(int ordinal, uct_info* out, uct_message* m);
void identify_host(uct_info* out);

/// The host's monotonic clock in microseconds.
double host_us();

}  // namespace uct

struct uct_context {
  std::unique_ptr<uct::Backend> backend;
  uint32_t ticket = 0;
  uint32_t graph_nodes = 0;
};
