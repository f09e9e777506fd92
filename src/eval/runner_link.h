#pragma once
// Why: the supervisor's hold on the runner: starts it, relays the judge's requests to it, ends it, and can
// always say how it ended. Nothing that the runner sends is trusted beyond being handed on as JSON.
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platform/process.h"

namespace uc {

class RunnerLink {
 public:
  RunnerLink(Processes& processes, std::string program)
      : processes_(processes), program_(std::move(program)) {}

  void configure(std::string device, uint64_t resident_limit) {
    device_ = std::move(device);
    resident_limit_ = resident_limit;
  }

  /// The judge's message {"op":"runner","id","deadline_ms","request"} answered: a runner_reply or a
  /// runner_gone.
  nlohmann::json relay(const nlohmann::json& message);

  /// Kills it if it is alive.
  void stop();

 private:
  struct Gone {
    std::string reason, detail;
  };
  nlohmann::json start(Millis deadline, Gone& gone);
  nlohmann::json forward(const nlohmann::json& request, Millis deadline, Gone& gone);
  nlohmann::json libraries() const;
  nlohmann::json receive(Millis deadline, Gone& gone);
  /// Ends the runner and tells why, with the end of what it printed.
  nlohmann::json end(std::string reason, const std::string& what, Gone& gone);

  Processes& processes_;
  std::string program_, device_;
  uint64_t resident_limit_ = 0;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace uc
