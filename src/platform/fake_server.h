#pragma once
// Why: tests need a server on this machine that answers exactly what they say, byte for byte, and misbehaves
// in every way that a real one can.
#include <arpa/inet.h>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace uc::testing_http {

struct Received {
  std::string head;  ///< request line and headers
  std::string body;
};

/// What is written to the connection, then whether it stays open (until the client or the test ends).
struct Reply {
  std::string bytes;
  bool stall = false;
};

/// A whole answer. `length`: what Content-Length says; -1: the truth.
inline Reply reply(int status, const std::string& body, const std::string& more_headers = {},
                   const std::string& type = "application/json", int64_t length = -1) {
  return {"HTTP/1.1 " + std::to_string(status) + " Said\r\nContent-Type: " + type +
              "\r\nConnection: close\r\nContent-Length: " +
              std::to_string(length < 0 ? static_cast<int64_t>(body.size()) : length) + "\r\n" +
              more_headers + "\r\n" + body,
          false};
}

/// Listens on 127.0.0.1 at a port that the system chooses; one connection at a time.
class FakeServer {
 public:
  using Handler = std::function<Reply(const Received&)>;

  explicit FakeServer(Handler handler) : handler_(std::move(handler)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    usable_ = bind(listener_, generic, size) == 0 && listen(listener_, 16) == 0 &&
              getsockname(listener_, generic, &size) == 0;
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    ending_ = true;
    thread_.join();
    close(listener_);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  bool usable() const { return usable_; }
  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<Received> received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }

 private:
  static constexpr int kTick = 20;  // milliseconds between looks at whether the test ends

  bool wait_readable(int descriptor) const {
    while (!ending_) {
      pollfd one{descriptor, POLLIN, 0};
      if (poll(&one, 1, kTick) > 0) return true;
    }
    return false;
  }

  void serve() {
    while (wait_readable(listener_)) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      converse(connection);
      close(connection);
    }
  }

  // Header and body of one request; false when the client went away.
  bool read_request(int connection, Received& out) const {
    std::string all;
    size_t needed = std::string::npos;
    while (all.size() < needed) {
      char buffer[65536];
      if (!wait_readable(connection)) return false;
      const ssize_t count = recv(connection, buffer, sizeof buffer, 0);
      if (count <= 0) return false;
      all.append(buffer, static_cast<size_t>(count));
      const size_t end = all.find("\r\n\r\n");
      if (end == std::string::npos || needed != std::string::npos) continue;
      out.head = all.substr(0, end);
      needed = end + 4 + length_of(out.head);
    }
    out.body = all.substr(out.head.size() + 4);
    return true;
  }

  static size_t length_of(std::string head) {
    for (char& c : head) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const size_t at = head.find("content-length:");
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + 15));
  }

  void converse(int connection) {
    Received request;
    if (!read_request(connection, request)) return;
    {
      const std::lock_guard lock(mutex_);
      received_.push_back(request);
    }
    const Reply answer = handler_(request);
    for (size_t sent = 0; sent < answer.bytes.size() && !ending_;) {
      const ssize_t count =
          send(connection, answer.bytes.data() + sent, answer.bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<size_t>(count);
    }
    char rest = 0;
    while (answer.stall && wait_readable(connection) && recv(connection, &rest, 1, 0) > 0) {
    }
  }

  Handler handler_;
  int listener_ = -1, port_ = 0;
  bool usable_ = false;
  std::atomic<bool> ending_{false};
  std::mutex mutex_;
  std::vector<Received> received_;
  std::thread thread_;
};

}  // namespace uc::testing_http
