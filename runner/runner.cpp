// Why: the untrusted side. Runs a candidate on buffers that the judge owns, when told to, and reports event
// times. Protocol ucutlass.eval/1 (docs/evaluation.md): one JSON object a line on the inherited control
// descriptor.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "operations.h"

namespace {

using nlohmann::json;
constexpr const char* kProtocol = "ucutlass.eval/1";

/// What kind of failure a call's place stands for.
const char* kind_of_failure(const uct_message& m) {
  const std::string where = m.where;
  if (where == "dlopen" || where == "dlsym" || where == "ucutlass_get_api") return "load";
  if (where == "run" || where == "prepack" || where == "open" || where == "sizes") return "status";
  if (where == "ipc") return "ipc";
  if (where == "guard") return "out_of_bounds";
  if (where == "protocol") return "protocol";
  if (where == "mmap" || where == "mem_alloc") return "memory";
  return "device";
}

json answer(uct::Operations& runner, const std::string& line) {
  json reply;
  try {
    const json request = json::parse(line);
    reply["id"] = request.value("id", 0);
    json result = runner.handle(request);
    reply["ok"] = true;
    if (result.is_object()) reply.update(result);
  } catch (const uct::Failure& failure) {
    const uct_message& m = failure.message;
    reply["ok"] = false;
    reply["error"] = {{"kind", kind_of_failure(m)}, {"where", m.where}, {"code", m.code}, {"text", m.text}};
  } catch (const std::exception& error) {
    reply["ok"] = false;
    reply["error"] = {{"kind", "protocol"}, {"where", "request"}, {"code", -1}, {"text", error.what()}};
  }
  return reply;
}

bool send_line(int fd, const std::string& text) {
  const std::string line = text + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t n = ::write(fd, line.data() + sent, line.size() - sent);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) sent += static_cast<size_t>(n);
  }
  return true;
}

/// Ends this process when the supervisor is gone, even while a candidate hangs.
void watch(int fd) {
  for (;;) {
    pollfd polled{fd, POLLRDHUP, 0};
    if (::poll(&polled, 1, -1) > 0) ::_exit(0);
  }
}

int serve(int fd, const std::string& device) {
  std::thread(watch, fd).detach();
  uct::Operations runner(device);
  send_line(fd, json{{"v", kProtocol}, {"role", "runner"}, {"pid", ::getpid()}, {"device", device}}.dump());
  std::string pending;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    pending.append(buffer, static_cast<size_t>(n));
    for (size_t newline; (newline = pending.find('\n')) != std::string::npos; pending.erase(0, newline + 1)) {
      const json reply = answer(runner, pending.substr(0, newline));
      if (!send_line(fd, reply.dump(-1, ' ', false, json::error_handler_t::replace))) return 1;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int fd = -1;
  std::string device;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--control-fd") == 0) fd = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--device") == 0) device = argv[i + 1];
  }
  if (fd < 0 || device.empty()) {
    std::fputs(
        "usage: ucutlass-runner --device cuda:N|host --control-fd N\n"
        "Started by ucutlass; speaks ucutlass.eval/1 on the given descriptor.\n",
        stderr);
    return 2;
  }
  return serve(fd, device);
}
