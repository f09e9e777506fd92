// Why: the C face of the timing library; see timing.h.
#include "timing.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "backend.h"

namespace uct {

int report(uct_message* message, int code, std::string_view where, std::string_view text) {
  if (message) {
    message->code = code;
    const auto put = [](char* to, size_t room, std::string_view from) {
      const size_t n = std::min(room - 1, from.size());
      std::memcpy(to, from.data(), n);
      to[n] = 0;
    };
    put(message->where, sizeof message->where, where);
    // A callback that refused has already said why.
    if (where != "run" || message->text[0] == 0) put(message->text, sizeof message->text, text);
  }
  return code ? code : -1;
}

double host_us() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

namespace {

/// -1: "host"; -2: not a device.
int ordinal_of(const char* device) {
  const std::string_view text = device ? device : "";
  if (text == "host") return -1;
  if (text == "cuda") return 0;
  if (!text.starts_with("cuda:") || text.size() == 5) return -2;
  char* end = nullptr;
  const long value = std::strtol(text.data() + 5, &end, 10);
  return *end == 0 && value >= 0 && value < 1024 ? static_cast<int>(value) : -2;
}

}  // namespace
}  // namespace uct

extern "C" {

uint32_t uct_version(void) { return UCT_VERSION; }

int uct_open(const char* device, uct_context** out, uct_message* m) {
  const int ordinal = uct::ordinal_of(device);
  if (ordinal == -2) return uct::report(m, -1, "open", "a device is \"host\" or \"cuda:N\"");
  auto backend = ordinal == -1 ? uct::open_host() : uct::open_cuda(ordinal, m);
  if (!backend) return m && m->code ? m->code : -1;
  *out = new uct_context{std::move(backend)};
  return 0;
}

void uct_close(uct_context* context) { delete context; }

int uct_get_info(uct_context* context, uct_info* out, uct_message* m) {
  return context->backend->info(out, m);
}

int uct_identify(const char* device, uct_info* out, uct_message* m) {
  const int ordinal = uct::ordinal_of(device);
  if (ordinal == -2) return uct::report(m, -1, "open", "a device is \"host\" or \"cuda:N\"");
  if (ordinal >= 0) return uct::identify_cuda(ordinal, out, m);
  uct::identify_host(out);
  return 0;
}

void* uct_stream(uct_context* context) { return context->backend->stream(); }

int uct_alloc(uct_context* context, uint64_t bytes, void** out, uct_message* m) {
  constexpr uint64_t kBlock = uint64_t{2} << 20;
  return context->backend->alloc((std::max<uint64_t>(bytes, 1) + kBlock - 1) / kBlock * kBlock, out, m);
}
int uct_free(uct_context* context, void* data, uct_message* m) { return context->backend->free(data, m); }
int uct_ipc_export(uct_context* context, void* data, uint8_t* handle, uct_message* m) {
  return context->backend->ipc_export(data, handle, m);
}
int uct_ipc_import(uct_context* context, const uint8_t* handle, void** out, uct_message* m) {
  return context->backend->ipc_import(handle, out, m);
}
int uct_ipc_close(uct_context* context, void* data, uct_message* m) {
  return context->backend->ipc_close(data, m);
}
int uct_copy(uct_context* context, void* to, const void* from, uint64_t bytes, int to_device,
             uct_message* m) {
  return context->backend->copy(to, from, bytes, to_device != 0, m);
}
int uct_sync(uct_context* context, uct_message* m) { return context->backend->sync(m); }

int uct_poison(uct_context* context, void* data, uint64_t bytes, uct_message* m) {
  if (const int code = context->backend->poison(data, bytes, m)) return code;
  return context->backend->sync(m);
}
int uct_perturb(uct_context* context, const uct_region* region, uint32_t before, uint32_t after,
                uct_message* m) {
  if (const int code = context->backend->perturb(*region, before, after, m)) return code;
  return context->backend->sync(m);
}
int uct_check_persistence(uct_context* context, uct_message* m) {
  return context->backend->check_persistence(m);
}

}  // extern "C"
