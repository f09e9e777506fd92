#include "exchange.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"

namespace uct {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool from_hex(const std::string& text, uint8_t* out, size_t bytes) {
  if (text.size() != 2 * bytes) return false;
  for (size_t i = 0; i < bytes; ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return true;
}

}  // namespace

int Exchange::map(const std::string& path, Buffer& buffer, uct_message* m) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return report(m, errno, "open", path + ": " + std::strerror(errno));
  struct stat info{};
  void* mapped = MAP_FAILED;
  if (::fstat(fd, &info) == 0 && static_cast<uint64_t>(info.st_size) >= buffer.bytes) {
    mapped = ::mmap(nullptr, buffer.bytes ? buffer.bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  } else {
    errno = EINVAL;
  }
  const int error = errno;
  ::close(fd);
  if (mapped == MAP_FAILED) return report(m, error, "mmap", path + ": " + std::strerror(error));
  buffer.mapped = mapped;
  return 0;
}

int Exchange::open(const nlohmann::json& description, Buffer* out, uct_message* m) {
  Buffer buffer;
  buffer.bytes = description.at("bytes").get<uint64_t>();
  if (transport_ == Transport::ipc) {
    uint8_t handle[64];
    if (!from_hex(description.at("handle").get<std::string>(), handle, sizeof handle)) {
      return report(m, EINVAL, "open", "an IPC handle is 128 hex digits");
    }
    if (const int code = uct_ipc_import(context_, handle, &buffer.data, m)) return code;
  } else {
    if (const int code = map(description.at("file").get<std::string>(), buffer, m)) return code;
    buffer.data = buffer.mapped;
  }
  if (transport_ == Transport::file) {
    buffer.data = nullptr;
    if (const int code = uct_alloc(context_, buffer.bytes, &buffer.data, m)) {
      ::munmap(buffer.mapped, buffer.bytes ? buffer.bytes : 1);
      return code;
    }
  }
  buffers_.push_back(buffer);
  *out = buffer;
  return 0;
}

int Exchange::pull(const Buffer& buffer, uct_message* m) {
  if (transport_ != Transport::file) return 0;
  return uct_copy(context_, buffer.data, buffer.mapped, buffer.bytes, 1, m);
}

int Exchange::push(const Buffer& buffer, uct_message* m) {
  if (transport_ != Transport::file) return 0;
  return uct_copy(context_, buffer.mapped, buffer.data, buffer.bytes, 0, m);
}

int Exchange::close(uct_message* m) {
  int result = 0;
  for (const Buffer& buffer : buffers_) {
    int code = 0;
    if (transport_ == Transport::ipc) code = uct_ipc_close(context_, buffer.data, m);
    if (transport_ == Transport::file) code = uct_free(context_, buffer.data, m);
    if (buffer.mapped) ::munmap(buffer.mapped, buffer.bytes ? buffer.bytes : 1);
    if (code && !result) result = code;
  }
  buffers_.clear();
  return result;
}

}  // namespace uct
