// Why: the untrusted side. Runs a candidate on buffers that the judge owns, when told to, and reports event
// times. Protocol ucutlass.eval/1 (docs/evaluation.md): one JSON object a line on the inherited control
// descriptor.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "backend.h"
#include "candidate.h"
#include "exchange.h"

namespace {

using nlohmann::json;
constexpr const char* kProtocol = "ucutlass.eval/1";

struct Failure {
  uct_message message;
};

void check(int code, const uct_message& m) {
  if (code) throw Failure{m};
}

std::vector<uct::TensorType> tensor_types(const json& list) {
  std::vector<uct::TensorType> result;
  for (const json& item : list) {
    uct::TensorType type;
    type.dtype = uct::dtype_number(item.at("dtype").get<std::string>());
    type.shape = item.at("shape").get<std::vector<int64_t>>();
    type.stride = item.at("stride").get<std::vector<int64_t>>();
    result.push_back(std::move(type));
  }
  return result;
}

uint32_t kind_of(const uct::TensorType& type, bool perturbed) {
  if (!perturbed) return UCT_LEAVE;
  switch (type.dtype) {
    case UCUTLASS_F64: return UCT_F64;
    case UCUTLASS_F32: return UCT_F32;
    case UCUTLASS_F16: return UCT_F16;
    case UCUTLASS_BF16: return UCT_BF16;
    default: return UCT_LEAVE;
  }
}

/// One candidate's life. Operations throw Failure or json exceptions; the loop turns both into replies.
class Runner {
 public:
  explicit Runner(std::string device) : device_(std::move(device)) {}
  ~Runner() {
    candidate_.reset();
    exchange_.reset();
    if (context_) uct_close(context_);
  }

  json handle(const json& request) {
    const std::string op = request.at("op");
    if (op == "ping") return {};
    if (op == "load") return load(request);
    if (op == "close") return close();
    if (!candidate_) throw Failure{{-1, "protocol", "nothing is loaded"}};
    if (op == "prepack") return prepack();
    if (op == "pull" || op == "push") return move_everything(op == "pull");
    if (op == "run") return run(request);
    if (op == "block") return block(request);
    if (op == "batch") return batch(request);
    if (op == "capture") return capture(request);
    if (op == "graph") return graph(request);
    throw Failure{{-1, "protocol", "unknown operation"}};
  }

 private:
  json load(const json& request) {
    uct_message m{};
    check(uct_open(device_.c_str(), &context_, &m), m);
    const std::string transport = request.at("transport");
    exchange_ = std::make_unique<uct::Exchange>(context_, transport == "ipc"   ? uct::Transport::ipc
                                                          : transport == "shm" ? uct::Transport::shm
                                                                               : uct::Transport::file);
    candidate_ = std::make_unique<uct::Candidate>(context_);
    candidate_->inputs = tensor_types(request.at("inputs"));
    candidate_->params = tensor_types(request.at("params"));
    candidate_->outputs = tensor_types(request.at("outputs"));
    candidate_->dims = request.at("dims").get<std::vector<int64_t>>();
    const auto perturbed = request.at("perturbed").get<std::vector<bool>>();
    for (const json& set : request.at("sets")) {
      candidate_->input_sets.push_back(open_all(set.at("inputs"), "ipc"));
      candidate_->output_sets.push_back(open_all(set.at("outputs"), "ipc"));
      for (size_t i = 0; i < candidate_->inputs.size(); ++i) {
        const uct::Buffer& b = candidate_->input_sets.back().at(i);
        inputs_.push_back({b.data, b.bytes, kind_of(candidate_->inputs[i], perturbed.at(i)), 0});
      }
      for (const uct::Buffer& b : candidate_->output_sets.back()) outputs_.push_back({b.data, b.bytes, 0, 0});
    }
    candidate_->param_buffers = open_all(request.at("buffers"), "ipc");
    check(candidate_->load(request.at("library").get<std::string>(), std::max(0, info().ordinal), &m), m);
    return {{"packed_bytes", candidate_->packed_bytes()},
            {"workspace_bytes", candidate_->workspace_bytes()},
            {"hash", candidate_->hash()}};
  }

  uct_info info() {
    uct_info result{};
    uct_message m{};
    check(uct_get_info(context_, &result, &m), m);
    return result;
  }

  std::vector<uct::Buffer> open_all(const json& list, const char* where) {
    std::vector<uct::Buffer> result;
    for (const json& item : list) {
      uct::Buffer buffer;
      uct_message m{};
      if (const int code = exchange_->open(item, &buffer, &m)) {
        uct::report(&m, code, where, std::string(m.where) + ": " + m.text);
        throw Failure{m};
      }
      result.push_back(buffer);
    }
    return result;
  }

  void move_all(bool pull, std::optional<uint32_t> only) {
    uct_message m{};
    const auto move = [&](const uct::Buffer& b) {
      check(pull ? exchange_->pull(b, &m) : exchange_->push(b, &m), m);
    };
    for (uint32_t set = 0; set < candidate_->input_sets.size(); ++set) {
      if (only && set != *only) continue;
      for (const auto& b : candidate_->input_sets[set]) move(b);
      for (const auto& b : candidate_->output_sets[set]) move(b);
    }
    for (const auto& b : candidate_->param_buffers) move(b);
  }

  json prepack() {
    uct_message m{};
    for (const auto& b : candidate_->param_buffers) check(exchange_->pull(b, &m), m);
    check(candidate_->poison_workspace(&m), m);
    const double begin = uct::host_us();
    check(candidate_->prepack(&m), m);
    const double us = uct::host_us() - begin;
    check(candidate_->check_guards(&m), m);
    return {{"us", us}};
  }

  json run(const json& request) {
    const uint32_t set = checked_set(request.at("set"));
    uct_message m{};
    move_all(true, set);
    check(candidate_->poison_workspace(&m), m);
    check(candidate_->run(set, uct_stream(context_), &m), m);
    check(uct_sync(context_, &m), m);
    check(candidate_->check_guards(&m), m);
    move_all(false, set);
    return {};
  }

  json block(const json& request) {
    uct_block block{};
    block.seed = request.at("seed");
    block.warm_runs = request.at("warm_runs");
    block.runs = request.at("runs");
    block.flush_bytes = request.value("flush_bytes", uint64_t{0});
    block.hold_us = request.value("hold_us", 0U);
    block.period_us = request.value("period_us", 0U);
    auto seeds = request.at("seeds").get<std::vector<uint32_t>>();
    if (seeds.size() != candidate_->input_sets.size()) throw Failure{{-1, "protocol", "one seed a set"}};
    const uct_sets sets = describe_sets(seeds.data());
    std::vector<double> times(block.runs);
    uct_block_result result{};
    move_all(true, {});
    message_ = {};
    check(uct_run_block(context_, &sets, &block, &Runner::enqueue, this, times.data(), &result, &message_),
          message_);
    json reply = after_timing();
    reply.update({{"times_us", times},
                  {"wall_us", result.wall_us},
                  {"period_us", result.period_us},
                  {"enqueue_us", result.enqueue_us},
                  {"unheld", result.unheld}});
    return reply;
  }

  json move_everything(bool pull) {
    move_all(pull, {});
    return {};
  }

  json batch(const json& request) {
    uct_batch_result result{};
    message_ = {};
    check(
        uct_run_batch(context_, set_count(), request.at("runs"), &Runner::enqueue, this, &result, &message_),
        message_);
    return batch_reply(result);
  }

  json capture(const json& request) {
    message_ = {};
    move_all(true, {});
    check(uct_capture(context_, set_count(), request.at("nodes"), &Runner::enqueue, this, &message_),
          message_);
    return {};
  }

  json graph(const json& request) {
    uct_batch_result result{};
    message_ = {};
    check(uct_run_graph(context_, request.at("runs"), &result, &message_), message_);
    return batch_reply(result);
  }

  /// A batch is bracketed by the judge's clock, so nothing is copied with it: "pull" and "push" are separate.
  static json batch_reply(const uct_batch_result& result) {
    return {{"event_us", result.event_us}, {"wall_us", result.wall_us}, {"runs", result.runs}};
  }

  json after_timing() {
    uct_message m{};
    check(candidate_->check_guards(&m), m);
    move_all(false, {});
    json reply = json::object();
    if (uct_check_persistence(context_, &m)) reply["persistence"] = m.text;
    return reply;
  }

  json close() {
    uct_message m{};
    candidate_.reset();
    if (exchange_) check(exchange_->close(&m), m);
    exchange_.reset();
    return {};
  }

  uct_sets describe_sets(uint32_t* seeds) const {
    return {set_count(),
            static_cast<uint32_t>(candidate_->inputs.size()),
            static_cast<uint32_t>(candidate_->outputs.size()),
            0,
            inputs_.data(),
            outputs_.data(),
            seeds};
  }
  uint32_t set_count() const { return static_cast<uint32_t>(candidate_->input_sets.size()); }
  uint32_t checked_set(uint32_t set) const {
    if (set >= set_count()) throw Failure{{-1, "protocol", "no such set"}};
    return set;
  }
  static int enqueue(void* self, uint32_t set, void* stream) {
    auto* runner = static_cast<Runner*>(self);
    return runner->candidate_->run(set, stream, &runner->message_);
  }

  std::string device_;
  uct_context* context_ = nullptr;
  std::unique_ptr<uct::Exchange> exchange_;
  std::unique_ptr<uct::Candidate> candidate_;
  std::vector<uct_region> inputs_, outputs_;
  uct_message message_{};
};

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

json answer(Runner& runner, const std::string& line) {
  json reply;
  try {
    const json request = json::parse(line);
    reply["id"] = request.value("id", 0);
    json result = runner.handle(request);
    reply["ok"] = true;
    if (result.is_object()) reply.update(result);
  } catch (const Failure& failure) {
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
  Runner runner(device);
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
