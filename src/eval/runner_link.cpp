#include "eval/runner_link.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "platform/files.h"

namespace uc {
namespace {

using nlohmann::json;
constexpr size_t kLongestLine = size_t{8} << 20;
constexpr Millis kSendPatience{10000};

/// The last lines that a process printed, for messages.
std::string tail(const std::string& text, size_t bytes = 600) {
  std::string_view end = trim(text);
  if (end.size() > bytes) end.remove_prefix(end.size() - bytes);
  return std::string(end);
}

}  // namespace

json RunnerLink::relay(const json& message) {
  const json request = message.value("request", json::object());
  const std::string op = request.is_object() ? request.value("op", std::string()) : std::string();
  const Millis deadline(std::max(1, message.value("deadline_ms", 60000)));
  const json id = message.value("id", json(0));
  Gone gone;
  json reply;
  if (op == "@start") {
    reply = start(deadline, gone);
  } else if (op == "@stop") {
    stop();
    reply = {{"ok", true}};
  } else if (op == "@libraries") {
    reply = libraries();
  } else {
    reply = forward(request, deadline, gone);
  }
  if (!gone.reason.empty()) {
    return {{"op", "runner_gone"}, {"id", id}, {"reason", gone.reason}, {"detail", gone.detail}};
  }
  return {{"op", "runner_reply"}, {"id", id}, {"reply", std::move(reply)}};
}

json RunnerLink::start(Millis deadline, Gone& gone) {
  stop();
  ProcessSpec spec;
  spec.argv = {program_, "--device", device_, "--control-fd", std::to_string(ChildProcess::kControlFd)};
  spec.resident_limit = resident_limit_;
  spec.output_limit = size_t{64} << 10;
  auto child = processes_.start(spec);
  if (!child) {
    gone = {"not_started", child.error().message};
    return {};
  }
  child_ = std::move(*child);
  const json hello = receive(deadline, gone);
  if (!gone.reason.empty()) return {};
  if (hello.value("v", json()) != "ucutlass.eval/1")
    return end("malformed", "the runner speaks another protocol", gone);
  return {{"ok", true}, {"pid", child_->pid()}};
}

json RunnerLink::forward(const json& request, Millis deadline, Gone& gone) {
  if (!child_) {
    gone = {"not_started", "no runner has been started"};
    return {};
  }
  if (!child_->send(request.dump(-1, ' ', false, json::error_handler_t::replace), kSendPatience))
    return end("crashed", "", gone);
  return receive(deadline, gone);
}

json RunnerLink::receive(Millis deadline, Gone& gone) {
  const ChildProcess::Line line = child_->receive(deadline, kLongestLine);
  switch (line.kind) {
    case ChildProcess::Line::Kind::line: break;
    case ChildProcess::Line::Kind::closed: return end("crashed", "", gone);
    case ChildProcess::Line::Kind::timed_out:
      return end("timed_out",
                 fmt::format("no answer within {:.1f} s", static_cast<double>(deadline.count()) * 1e-3),
                 gone);
    case ChildProcess::Line::Kind::too_long: return end("malformed", "the runner sent an endless line", gone);
    case ChildProcess::Line::Kind::out_of_memory:
      return end("out_of_memory", "the runner used more host memory than allowed", gone);
  }
  json reply = json::parse(line.text, nullptr, false);
  if (!reply.is_object()) return end("malformed", "the runner sent something that is no JSON object", gone);
  return reply;
}

json RunnerLink::end(std::string reason, const std::string& what, Gone& gone) {
  const bool died = what.empty();
  const ProcessEnd ended = child_->finish(Millis(died ? 2000 : 0));
  if (died && ended.kind == ProcessEnd::Kind::exited) reason = "exited";
  if (ended.kind == ProcessEnd::Kind::out_of_memory) reason = "out_of_memory";
  std::string detail = died ? describe(ended) : what;
  if (const std::string printed = tail(child_->err()); !printed.empty()) detail += "; stderr: " + printed;
  child_.reset();
  gone = {std::move(reason), std::move(detail)};
  return {};
}

/// Shared objects mapped by the runner, seen from outside, so that a candidate cannot lie about them.
json RunnerLink::libraries() const {
  json names = json::array();
  const auto maps =
      child_ ? real_files().read(fmt::format("/proc/{}/maps", child_->pid())) : Result<std::string>();
  if (!child_ || !maps) return {{"ok", true}, {"libraries", names}};
  std::string before;
  for (const auto line : split(*maps, '\n')) {
    const size_t slash = line.rfind('/');
    if (slash == std::string_view::npos) continue;
    std::string base(line.substr(slash + 1));
    if (base.find(".so") == std::string::npos || base == before) continue;
    names.push_back(base);
    before = base;
  }
  return {{"ok", true}, {"libraries", names}};
}

void RunnerLink::stop() {
  if (child_) child_->finish(Millis(3000));
  child_.reset();
}

}  // namespace uc
