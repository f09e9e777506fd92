#include "rewrites/support/join.h"

#include <algorithm>
#include <set>

namespace uc::rewrites {
namespace {

constexpr std::string_view kCommutative[] = {"add", "mul", "minimum", "maximum"};

bool commutes(const OpSpec& spec) {
  return std::ranges::find(kCommutative, spec.name) != std::end(kCommutative);
}

bool reads(const Program& program, OpId op, ValueId value) {
  return std::ranges::find(program[op].in, value) != program[op].in.end();
}

std::vector<OpId> body_of(const Step& step) {
  std::vector<OpId> body = step.prologue;
  body.push_back(step.main);
  return body;
}

bool chain_reads(const Program& program, const Step& step, ValueId value) {
  return std::ranges::any_of(step.chain, [&](const Step::Call& call) {
    return std::ranges::any_of(call.ops, [&](OpId op) { return reads(program, op, value); });
  });
}

// A fused-only operator inside an expression needs its plain form: `bias` and `residual` are additions.
bool expressible(const OpSpec& spec) {
  return spec.is_pointwise() && !spec.stores &&
         (spec.place != Place::fused || spec.name == "bias" || spec.name == "residual");
}

// `relu(v)`, `v * s`: a call after `>>` with the running value first and nowhere else.
bool is_call_on(const Program& program, OpId id, ValueId running) {
  const Op& op = program[id];
  const bool fused = (static_cast<int>(op.spec->place) & static_cast<int>(Place::fused)) != 0;
  return fused && !op.in.empty() && op.in[0] == running && std::ranges::count(op.in, running) == 1;
}

// Stored values of the producer are ready later when it moves down to the consumer.
bool stores_can_wait(const Program& program, const Join& at) {
  const Step& producer = program[at.producer];
  for (size_t i = 0; i + 1 < producer.results.size(); ++i) {
    for (const Use& use : uses_of(program, producer.results[i])) {
      if (use.step <= at.consumer) return false;
    }
  }
  return true;
}

bool shapes_stay(const Program& program, const Step& consumer, ValueId value) {
  return program[program[consumer.main].out[0]].shape == program[value].shape;
}

bool joinable(const Program& program, const Join& at) {
  const Step& producer = program[at.producer];
  const Step& consumer = program[at.consumer];
  const ValueId value = producer.results.back();
  if (is_returned(program, value)) return false;
  for (const Use& use : uses_of(program, value)) {
    if (use.step != at.consumer || program[use.op].spec->is_view()) return false;
  }
  if (!shapes_stay(program, consumer, value) || !stores_can_wait(program, at)) return false;
  const std::vector<OpId> body = body_of(consumer);
  const bool single = body.size() == 1 && !chain_reads(program, consumer, value);
  if (single) {
    const Op& op = program[body[0]];
    const bool swapped = commutes(*op.spec) && op.in.size() == 2 && op.in[1] == value && op.in[0] != value;
    if (is_call_on(program, body[0], value) || swapped) return true;
  }
  return fits_expression(program, chain_reads(program, consumer, value) ? ops_of(consumer) : body);
}

class Joiner {
 public:
  Joiner(const Catalog& catalog, const Program& program, const Join& at) : edit_(catalog, program), at_(at) {}

  Program run(const Program& otherwise) {
    Program& program = edit_.program();
    const Step consumer = program[at_.consumer];
    Step joined = program[at_.producer];
    const ValueId stored = joined.results.back();
    running_ = stored;
    if (!round(joined)) return otherwise;
    const bool whole = chain_reads(program, consumer, stored);
    std::vector<OpId> body = whole ? ops_of(consumer) : body_of(consumer);
    for (const OpId op : ops_of(consumer)) replace_operand(program, op, stored, running_);
    push(joined, std::move(body));
    if (!whole) joined.chain.insert(joined.chain.end(), consumer.chain.begin(), consumer.chain.end());
    joined.results.pop_back();
    joined.results.insert(joined.results.end(), consumer.results.begin(), consumer.results.end());
    program[stored].name.clear();
    program.steps[at_.consumer.index()] = std::move(joined);
    edit_.erase(at_.producer);
    return edit_.finish(otherwise);
  }

 private:
  // What memory rounded, the chain rounds: `>> to(f16)`.
  bool round(Step& joined) {
    const Value& value = edit_.program()[running_];
    const bool narrow = is_floating(value.dtype) && size_bytes(value.dtype) < 4;
    const Op& last = edit_.program()[value.def];
    if (!narrow || last.attrs.has("dtype")) return true;
    const auto rounded = edit_.op("to", {running_}, dtype_attr(value.dtype));
    if (!rounded) return false;
    joined.chain.push_back({{edit_.program()[*rounded].def}, false, {}});
    running_ = *rounded;
    return true;
  }

  void push(Step& joined, std::vector<OpId> body) {
    Program& program = edit_.program();
    if (body.size() == 1) {
      Op& op = program[body[0]];
      if (commutes(*op.spec) && op.in.size() == 2 && op.in[0] != running_) std::swap(op.in[0], op.in[1]);
      if (is_call_on(program, body[0], running_)) {
        joined.chain.push_back({std::move(body), false, {}});
        return;
      }
    }
    for (const OpId id : body) {
      if (program[id].spec->place == Place::fused) program[id].spec = edit_.builder().catalog().op("add");
    }
    joined.chain.push_back({std::move(body), true, {}});
  }

  Edit edit_;
  Join at_;
  ValueId running_;
};

}  // namespace

bool fits_expression(const Program& program, const std::vector<OpId>& ops) {
  return std::ranges::all_of(
      ops, [&](OpId op) { return expressible(*program[op].spec) && program[op].out.size() == 1; });
}

std::optional<Join> find_join(const Program& program, StepId consumer) {
  const Step& step = program[consumer];
  if (!is_pointwise_step(program, step)) return std::nullopt;
  std::set<ValueId> tried;
  for (const OpId op : ops_of(step)) {
    for (const ValueId value : program[op].in) {
      if (!tried.insert(value).second) continue;
      const StepId producer = step_of(program, value);
      if (!producer || producer >= consumer || program[producer].results.back() != value) continue;
      const Step& makes = program[producer];
      const bool fits = is_pointwise_step(program, makes) || is_product_step(program, makes) ||
                        is_rows_step(program, makes);
      if (fits && joinable(program, {producer, consumer})) return Join{producer, consumer};
    }
  }
  return std::nullopt;
}

Program join(const Catalog& catalog, const Program& program, const Join& at) {
  return Joiner(catalog, program, at).run(program);
}

}  // namespace uc::rewrites
