#pragma once
// Why: the runner's view of the judge's buffers: opened by CUDA IPC, mapped (host), or copied through files.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "timing.h"

namespace uct {

enum class Transport : uint8_t { ipc, shm, file };

/// One exchanged buffer.
struct Buffer {
  void* data = nullptr;
  uint64_t bytes = 0;
  void* mapped = nullptr;  ///< the file's pages (file and shm)
};

/// Opens, copies and closes exchanged buffers. Methods return 0 or a code with the message filled.
class Exchange {
 public:
  Exchange(uct_context* context, Transport transport) : context_(context), transport_(transport) {}
  ~Exchange() { (void)close(nullptr); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// {"handle": "<128 hex digits>"} or {"file": path}, and "bytes". The buffer lives until close().
  int open(const nlohmann::json& description, Buffer* out, uct_message* m);
  /// File transport: from the file to the device before work, and back after. Nothing otherwise.
  int pull(const Buffer& buffer, uct_message* m);
  int push(const Buffer& buffer, uct_message* m);
  int close(uct_message* m);

 private:
  int map(const std::string& path, Buffer& buffer, uct_message* m);

  uct_context* context_;
  Transport transport_;
  std::vector<Buffer> buffers_;
};

}  // namespace uct
