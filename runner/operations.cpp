#include "operations.h"

#include <algorithm>

#include "backend.h"

namespace uct {
namespace {

using nlohmann::json;

void check(int code, const uct_message& m) {
  if (code) throw Failure{m};
}

std::vector<TensorType> tensor_types(const json& list) {
  std::vector<TensorType> result;
  for (const json& item : list) {
    TensorType type;
    type.dtype = dtype_number(item.at("dtype").get<std::string>());
    type.shape = item.at("shape").get<std::vector<int64_t>>();
    type.stride = item.at("stride").get<std::vector<int64_t>>();
    result.push_back(std::move(type));
  }
  return result;
}

/// mode 0: left alone; 1: perturbed, signs kept; 2: signs too; 3: signs only.
uint32_t kind_of(const TensorType& type, int mode) {
  if (mode == 0) return UCT_LEAVE;
  const uint32_t signs = mode == 2 ? UCT_SIGNS : mode == 3 ? UCT_SIGNS_ONLY : 0;
  switch (type.dtype) {
    case UCUTLASS_F64: return UCT_F64 | signs;
    case UCUTLASS_F32: return UCT_F32 | signs;
    case UCUTLASS_F16: return UCT_F16 | signs;
    case UCUTLASS_BF16: return UCT_BF16 | signs;
    default: return UCT_LEAVE;
  }
}

Transport transport_of(const std::string& name) {
  return name == "ipc" ? Transport::ipc : name == "shm" ? Transport::shm : Transport::file;
}

/// Batches and blocks are bracketed by the judge's clock, so nothing is copied with them: "pull" and "push"
/// are separate.
json batch_reply(const uct_batch_result& result) {
  return {{"event_us", result.event_us}, {"wall_us", result.wall_us}, {"runs", result.runs}};
}

}  // namespace

Operations::~Operations() {
  candidate_.reset();
  exchange_.reset();
  if (context_) uct_close(context_);
}

json Operations::handle(const json& request) {
  const std::string op = request.at("op");
  if (op == "load") return load(request);
  if (op == "close") return close();
  if (!candidate_) throw Failure{{-1, "protocol", "nothing is loaded"}};
  if (op == "prepack") return prepack();
  if (op == "run") return run(request);
  if (op == "block") return block(request);
  if (op == "batch") return batch(request);
  if (op == "capture") return capture(request);
  if (op == "graph") return graph(request);
  if (op != "pull" && op != "push") throw Failure{{-1, "protocol", "unknown operation"}};
  move_all(op == "pull", {});
  return {};
}

json Operations::load(const json& request) {
  uct_message m{};
  check(uct_open(device_.c_str(), &context_, &m), m);
  exchange_ = std::make_unique<Exchange>(context_, transport_of(request.at("transport")));
  candidate_ = std::make_unique<Candidate>(context_);
  candidate_->inputs = tensor_types(request.at("inputs"));
  candidate_->params = tensor_types(request.at("params"));
  candidate_->outputs = tensor_types(request.at("outputs"));
  candidate_->dims = request.at("dims").get<std::vector<int64_t>>();
  const auto perturbed = request.at("perturbed").get<std::vector<int>>();
  for (const json& set : request.at("sets")) {
    candidate_->input_sets.push_back(open_all(set.at("inputs")));
    candidate_->output_sets.push_back(open_all(set.at("outputs")));
    for (size_t i = 0; i < candidate_->inputs.size(); ++i) {
      const Buffer& b = candidate_->input_sets.back().at(i);
      inputs_.push_back({b.data, b.bytes, kind_of(candidate_->inputs[i], perturbed.at(i)), 0});
    }
    for (const Buffer& b : candidate_->output_sets.back()) outputs_.push_back({b.data, b.bytes, 0, 0});
  }
  candidate_->param_buffers = open_all(request.at("buffers"));
  uct_info info{};
  check(uct_get_info(context_, &info, &m), m);
  check(candidate_->load(request.at("library").get<std::string>(), std::max(0, info.ordinal), &m), m);
  return {{"packed_bytes", candidate_->packed_bytes()},
          {"workspace_bytes", candidate_->workspace_bytes()},
          {"hash", candidate_->hash()}};
}

std::vector<Buffer> Operations::open_all(const json& list) {
  std::vector<Buffer> result;
  for (const json& item : list) {
    Buffer buffer;
    uct_message m{};
    if (const int code = exchange_->open(item, &buffer, &m)) {
      report(&m, code, "ipc", std::string(m.where) + ": " + m.text);
      throw Failure{m};
    }
    result.push_back(buffer);
  }
  return result;
}

void Operations::move_all(bool pull, std::optional<uint32_t> only) {
  uct_message m{};
  const auto move = [&](const Buffer& b) {
    check(pull ? exchange_->pull(b, &m) : exchange_->push(b, &m), m);
  };
  for (uint32_t set = 0; set < set_count(); ++set) {
    if (only && set != *only) continue;
    for (const auto& b : candidate_->input_sets[set]) move(b);
    for (const auto& b : candidate_->output_sets[set]) move(b);
  }
  for (const auto& b : candidate_->param_buffers) move(b);
}

json Operations::prepack() {
  uct_message m{};
  for (const auto& b : candidate_->param_buffers) check(exchange_->pull(b, &m), m);
  check(candidate_->poison_workspace(&m), m);
  const double begin = host_us();
  check(candidate_->prepack(&m), m);
  const double us = host_us() - begin;
  check(candidate_->check_guards(&m), m);
  return {{"us", us}};
}

json Operations::run(const json& request) {
  const uint32_t set = request.at("set");
  if (set >= set_count()) throw Failure{{-1, "protocol", "no such set"}};
  uct_message m{};
  move_all(true, set);
  check(candidate_->poison_workspace(&m), m);
  check(candidate_->run(set, uct_stream(context_), &m), m);
  check(uct_sync(context_, &m), m);
  check(candidate_->check_guards(&m), m);
  move_all(false, set);
  return {};
}

json Operations::block(const json& request) {
  uct_block block{};
  block.seed = request.at("seed");
  block.warm_runs = request.at("warm_runs");
  block.runs = request.at("runs");
  block.flush_bytes = request.value("flush_bytes", uint64_t{0});
  block.hold_us = request.value("hold_us", 0U);
  block.period_us = request.value("period_us", 0U);
  block.settle_us = request.value("settle_us", 0U);
  auto seeds = request.at("seeds").get<std::vector<uint32_t>>();
  if (seeds.size() != set_count()) throw Failure{{-1, "protocol", "one seed a set"}};
  const uct_sets sets = describe_sets(seeds.data());
  std::vector<double> times(block.runs);
  uct_block_result result{};
  message_ = {};
  check(uct_run_block(context_, &sets, &block, &Operations::enqueue, this, times.data(), &result, &message_),
        message_);
  json reply = after_timing();
  reply.update({{"times_us", times},
                {"wall_us", result.wall_us},
                {"period_us", result.period_us},
                {"enqueue_us", result.enqueue_us},
                {"unheld", result.unheld},
                {"early", result.early},
                {"late", result.late}});
  return reply;
}

json Operations::batch(const json& request) {
  uct_batch_result result{};
  message_ = {};
  check(uct_run_batch(context_, set_count(), request.at("runs"), &Operations::enqueue, this, &result,
                      &message_),
        message_);
  return batch_reply(result);
}

json Operations::capture(const json& request) {
  message_ = {};
  move_all(true, {});
  check(uct_capture(context_, set_count(), request.at("nodes"), &Operations::enqueue, this, &message_),
        message_);
  return {};
}

json Operations::graph(const json& request) {
  uct_batch_result result{};
  message_ = {};
  check(uct_run_graph(context_, request.at("runs"), &result, &message_), message_);
  return batch_reply(result);
}

json Operations::after_timing() {
  uct_message m{};
  check(candidate_->check_guards(&m), m);
  json reply = json::object();
  if (uct_check_persistence(context_, &m)) reply["persistence"] = m.text;
  return reply;
}

json Operations::close() {
  uct_message m{};
  candidate_.reset();
  if (exchange_) check(exchange_->close(&m), m);
  exchange_.reset();
  return {};
}

uct_sets Operations::describe_sets(uint32_t* seeds) const {
  return {set_count(),
          static_cast<uint32_t>(candidate_->inputs.size()),
          static_cast<uint32_t>(candidate_->outputs.size()),
          0,
          inputs_.data(),
          outputs_.data(),
          seeds};
}

int Operations::enqueue(void* self, uint32_t set, void* stream) {
  auto* operations = static_cast<Operations*>(self);
  return operations->candidate_->run(set, stream, &operations->message_);
}

}  // namespace uct
