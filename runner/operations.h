#pragma once
// Why: the operations of the runner's side of ucutlass.eval/1, apart from reading and writing lines.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "candidate.h"
#include "exchange.h"

namespace uct {

/// A call that did not work; `where` in the message says what kind of failure it is.
struct Failure {
  uct_message message;
};

/// One candidate's life, one operation after the other.
class Operations {
 public:
  explicit Operations(std::string device) : device_(std::move(device)) {}
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  /// The fields of the answer. Throws Failure, or a json exception for a request that is not as agreed.
  nlohmann::json handle(const nlohmann::json& request);

 private:
  nlohmann::json load(const nlohmann::json& request);
  nlohmann::json prepack();
  nlohmann::json run(const nlohmann::json& request);
  nlohmann::json block(const nlohmann::json& request);
  nlohmann::json batch(const nlohmann::json& request);
  nlohmann::json capture(const nlohmann::json& request);
  nlohmann::json graph(const nlohmann::json& request);
  nlohmann::json close();

  std::vector<Buffer> open_all(const nlohmann::json& list);
  void move_all(bool pull, std::optional<uint32_t> only);
  nlohmann::json after_timing();
  uct_sets describe_sets(uint32_t* seeds) const;
  uint32_t set_count() const { return static_cast<uint32_t>(candidate_->input_sets.size()); }
  static int enqueue(void* self, uint32_t set, void* stream);

  std::string device_;
  uct_context* context_ = nullptr;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<Candidate> candidate_;
  std::vector<uct_region> inputs_, outputs_;
  uct_message message_{};
};

}  // namespace uct
