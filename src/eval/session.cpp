#include "eval/session.h"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "eval/eval_json.h"
#include "eval/places.h"
#include "eval/runner_link.h"
#include "platform/files.h"

namespace uc {
namespace {

using nlohmann::json;
using namespace nlohmann::literals;
constexpr const char* kProtocol = "ucutlass.eval/1";
constexpr size_t kLongestLine = size_t{256} << 20;

/// Without a newline; bytes that are no UTF-8 (a candidate's output in a message) are replaced.
std::string line_of(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

Millis seconds(double value) { return Millis(to_integer(value * 1000)); }

/// Calls a hook now and, when destroyed, its opposite.
class Quiet {
 public:
  explicit Quiet(const std::function<void(bool)>& hook) : hook_(hook) {
    if (hook_) hook_(true);
  }
  ~Quiet() {
    if (hook_) hook_(false);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  const std::function<void(bool)>& hook_;
};

class RealSession final : public EvalSession {
 public:
  RealSession(EvalProblem problem, EvalEnvironment environment)
      : problem_(std::move(problem)),
        environment_(std::move(environment)),
        owned_locks_(environment_.locks ? nullptr : file_locks()),
        locks_(environment_.locks ? *environment_.locks : *owned_locks_),
        runner_(*environment_.processes, environment_.runner) {}

  ~RealSession() override { end(Millis(0)); }

  Result<> start() {
    auto folder = real_files().make_temporary_folder("ucutlass-eval-");
    if (!folder) return tl::unexpected(folder.error());
    folder_ = *folder;
    if (auto spawned = spawn(); !spawned) return spawned;
    const auto hello = ask({{"op", "hello"}, {"v", kProtocol}}, "hello", Millis(60000));
    if (!hello) return tl::unexpected(hello.error());
    if (hello->value("v", json()) != kProtocol)
      return fail("the judge speaks another protocol", "reinstall ucutlass", 3);
    uuid_ = hello->value("device", json::object()).value("uuid", std::string());
    auto token = locks_.acquire("gpu-" + uuid_, environment_.token_patience);
    if (!token) return tl::unexpected(token.error());
    const Quiet quiet(environment_.quiet);
    return open_problem();
  }

  Result<EvalResult> evaluate(const EvalRequest& request) override {
    if (!judge_) {
      if (auto started = start(); !started) return tl::unexpected(started.error());
    }
    auto token = locks_.acquire("gpu-" + uuid_, environment_.token_patience);
    if (!token) return tl::unexpected(token.error());
    const Quiet quiet(environment_.quiet);
    runner_.configure(runner_device_, request.host_memory_limit);
    const auto reply = ask({{"op", "evaluate"}, {"request", to_json(request)}}, "evaluated",
                           seconds(request.time_budget_s * 2 + 180));
    runner_.stop();
    if (!reply) return tl::unexpected(reply.error());
    return result_from_json(reply->value("result", json()));
  }

  const std::vector<EvalBaseline>& baselines() const override { return baselines_; }
  const std::string& best_baseline() const override { return best_; }
  const std::string& problem_json() const override { return problem_json_; }

  void close() override {
    if (judge_) (void)ask({{"op", "close"}}, "closed", Millis(30000));
    end(Millis(3000));
  }

 private:
  Result<> spawn() {
    ProcessSpec spec;
    spec.argv = {environment_.python,
                 "-m",
                 "ucutlass_judge",
                 "--device",
                 environment_.device,
                 "--timing-library",
                 environment_.timing_library,
                 "--control-fd",
                 std::to_string(ChildProcess::kControlFd)};
    const char* inherited = std::getenv("PYTHONPATH");
    spec.env = {{"PYTHONPATH",
                 environment_.judge_folder + (inherited && *inherited ? std::string(":") + inherited : "")},
                {"PYTHONUNBUFFERED", "1"},
                {"PYTHONDONTWRITEBYTECODE", "1"}};
    spec.output_limit = size_t{256} << 10;
    auto judge = environment_.processes->start(spec);
    if (!judge) return tl::unexpected(judge.error());
    judge_ = std::move(*judge);
    return {};
  }

  Result<> open_problem() {
    const json request = {{"op", "open"},
                          {"problem", to_json(problem_)},
                          {"folder", folder_},
                          {"transport", environment_.transport},
                          {"known_baselines", known_baselines_}};
    const auto reply = ask(request, "opened", seconds(problem_.baseline_budget_s + 600));
    if (!reply) return tl::unexpected(reply.error());
    try {
      remember(*reply);
    } catch (const json::exception& error) {
      return lost(fmt::format("described the problem wrongly ({})", error.what()));
    }
    return {};
  }

  void remember(const json& reply) {
    const json problem = reply.value("problem", json::object());
    runner_device_ = reply.value("runner_device", std::string());
    problem_json_ = problem.dump();
    known_baselines_ = problem.value("baselines", json::array());
    baselines_ = baselines_from_json(known_baselines_);
    best_ = problem.value("best_baseline", std::string());
    problem_.seed = problem.value("seed", problem_.seed);  // a restarted judge makes the same inputs
  }

  /// Sends and serves the judge until it answers `answer`. Past the deadline, or when it dies or talks
  /// nonsense, judge and runner are ended.
  Result<json> ask(const json& message, const std::string& answer, Millis deadline) {
    const auto end_time = real_clock().now() + deadline;
    if (!judge_->send(line_of(message), Millis(10000))) return lost("has ended");
    for (;;) {
      const auto left = std::chrono::duration_cast<Millis>(end_time - real_clock().now());
      const ChildProcess::Line line = judge_->receive(std::max(left, Millis(0)), kLongestLine);
      if (line.kind == ChildProcess::Line::Kind::timed_out)
        return lost(fmt::format("did not answer within {} s", deadline.count() / 1000));
      if (line.kind != ChildProcess::Line::Kind::line) return lost("has ended");
      json reply = json::parse(line.text, nullptr, false);
      if (!reply.is_object()) return lost("sent something that is no JSON object");
      try {
        const std::string op = reply.value("op", std::string());
        if (op == answer) return reply;
        if (op == "progress" && environment_.progress)
          environment_.progress(reply.value("text", std::string()));
        if (op == "failed") {
          return fail("the judge: " + reply.value("error", std::string("failed")),
                      reply.value("trace", std::string()));
        }
        if (op == "runner" && !judge_->send(line_of(runner_.relay(reply)), Millis(30000)))
          return lost("has ended");
      } catch (const json::exception& error) {
        return lost(fmt::format("sent a message with a field of the wrong type ({})", error.what()));
      }
    }
  }

  tl::unexpected<Error> lost(const std::string& what) {
    const ProcessEnd ended = judge_->finish(Millis(what == "has ended" ? 2000 : 0));
    std::string printed(trim(judge_->err()));
    if (printed.size() > 2000) printed.erase(0, printed.size() - 2000);
    end(Millis(0));
    return fail(fmt::format("the judge {} ({})", what, describe(ended)), printed);
  }

  void end(Millis grace) {
    runner_.stop();
    if (judge_) judge_->finish(grace);
    judge_.reset();
    if (!folder_.empty()) (void)real_files().remove(folder_);
    folder_.clear();
  }

  EvalProblem problem_;
  EvalEnvironment environment_;
  std::unique_ptr<Locks> owned_locks_;
  Locks& locks_;
  RunnerLink runner_;
  std::unique_ptr<ChildProcess> judge_;
  std::string folder_, uuid_, runner_device_, problem_json_ = "{}", best_;
  json known_baselines_ = json::array();
  std::vector<EvalBaseline> baselines_;
};

}  // namespace

Result<std::unique_ptr<EvalSession>> EvalSession::open(const EvalProblem& problem,
                                                       const EvalEnvironment& environment) {
  auto places = find_places(environment);
  if (!places) return tl::unexpected(places.error());
  auto session = std::make_unique<RealSession>(problem, std::move(*places));
  if (auto started = session->start(); !started) return tl::unexpected(started.error());
  return session;
}

}  // namespace uc
