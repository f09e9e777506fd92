// Kernels over rows mean what the operators of their steps mean: every example of every operator with a row
// expression, launch by launch, against the executor.
#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "catalog/builtin.h"
#include "compiler/pipeline.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "exec/interpret_rows.h"
#include "exec/random.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

// Values in memory as kernels see it: elements where the strides say.
class Memory {
 public:
  explicit Memory(const Program& program) : program_(program) {}

  void put(ValueId id, const HostTensor& tensor) {
    const Value& value = program_[id];
    HostTensor& to = of(id);
    for (int64_t i = 0; i < tensor.count(); ++i) to.set(place(value.shape, value.stride, i), tensor.at(i));
  }
  HostTensor get(ValueId id) {
    const Value& value = program_[id];
    HostTensor out = HostTensor::zeros(value.dtype, value.shape);
    for (int64_t i = 0; i < out.count(); ++i) out.set(i, of(id).at(place(value.shape, value.stride, i)));
    return out;
  }
  void run(const Rows& rows) {
    std::vector<LeafData> leaves;
    std::vector<NodeId> wanted;
    std::vector<HostTensor> results;
    for (const View& view : rows.body.views) leaves.push_back({&of(view.value), view.stride, view.offset});
    for (const Effect& effect : rows.body.effects) {
      wanted.push_back(effect.node);
      results.push_back(HostTensor::zeros(rows.body.views[effect.view].dtype, rows.domain));
    }
    interpret_rows(rows, leaves, wanted, results);
    for (size_t e = 0; e < results.size(); ++e) {
      round_to_dtype(results[e]);
      const View& view = rows.body.views[rows.body.effects[e].view];
      for (int64_t i = 0; i < results[e].count(); ++i)
        of(view.value).set(view.offset + place(rows.domain, view.stride, i), results[e].at(i));
    }
  }

 private:
  static int64_t place(const Shape& shape, const Strides& stride, int64_t index) {
    int64_t out = 0;
    for (size_t d = shape.size(); d-- > 0; index /= shape[d]) out += index % shape[d] * stride[d];
    return out;
  }
  HostTensor& of(ValueId id) {
    const Value& root = program_[program_[id].root];
    const auto found = memory_.find(program_[id].root);
    if (found != memory_.end()) return found->second;
    return memory_.emplace(program_[id].root, HostTensor::zeros(root.dtype, {2 * numel(root.shape) + 64}))
        .first->second;
  }
  const Program& program_;
  std::map<ValueId, HostTensor> memory_;
};

std::vector<HostTensor> random_tensors(const Program& program, const std::vector<ValueId>& ids,
                                       uint64_t& seed) {
  std::vector<HostTensor> out;
  for (const ValueId id : ids)
    out.push_back(random_tensor(program[id].dtype, program[id].shape, next_random(seed)));
  return out;
}

void expect_close(const HostTensor& got, const HostTensor& want, const std::string& source) {
  double scale = 0;
  for (int64_t i = 0; i < want.count(); ++i)
    scale = std::isfinite(want.at(i)) ? std::max(scale, std::abs(want.at(i))) : scale;
  const double tolerance = size_bytes(want.dtype) < 4 && is_floating(want.dtype) ? 4e-3 : 4e-6;
  for (int64_t i = 0; i < want.count(); ++i) {
    const double g = got.at(i);
    const double w = want.at(i);
    if (g == w || (std::isnan(g) && std::isnan(w))) continue;
    ASSERT_NEAR(g, w, tolerance * scale) << "element " << i << "\n" << source;
  }
}

// False when some launch is of another kind.
bool holds(const std::string& source) {
  const Compiled compiled = check_source(catalog(), source);
  // Parts of unequal extents are no rows.
  if (!compiled.ok() && compiled.diags.diags()[0].id == "UC1907") return false;
  EXPECT_TRUE(compiled.ok()) << render_text(compiled.diags.sorted(), source, "");
  for (const Launch& launch : compiled.launches) {
    if (!std::holds_alternative<Rows>(launch.kernel)) return false;
  }
  const Program& program = compiled.program;
  uint64_t seed = 7;
  const auto inputs = random_tensors(program, program.inputs, seed);
  const auto params = random_tensors(program, program.params, seed);
  const auto want = execute(catalog(), program, inputs, params);
  EXPECT_TRUE(want.has_value()) << source;
  if (!want) return false;
  Memory memory(program);
  for (size_t i = 0; i < inputs.size(); ++i) memory.put(program.inputs[i], inputs[i]);
  for (size_t i = 0; i < params.size(); ++i) memory.put(program.params[i], params[i]);
  for (const Launch& launch : compiled.launches) memory.run(std::get<Rows>(launch.kernel));
  for (size_t i = 0; i < want->size(); ++i) expect_close(memory.get(program.results[i]), (*want)[i], source);
  return true;
}

TEST(RowsMeaning, EveryExampleOfAnOperatorOverRowsIsItsReference) {
  size_t tried = 0;
  for (const OpSpec* op : catalog().ops()) {
    if (op->row_scalar == nullptr || op->place == Place::fused) continue;
    for (const std::string_view example : op->examples) tried += holds(std::string(example)) ? 1 : 0;
  }
  EXPECT_GE(tried, 60U);
}

TEST(RowsMeaning, WhatStandsBeforeAndAfterInTheStepIsPartOfIt) {
  EXPECT_TRUE(
      holds("target sm_90a\ninput x: f32[6, 20, 10]\ninput w: f32[10]\nparam g: f32[10]\n"
            "y = layer_norm(x * 2 + w, g) >> mul(w) >> softmax() >> sub(1)\nreturn y\n"));
  EXPECT_TRUE(
      holds("target sm_90a\ninput x: f32[6, 20, 10]\ninput w: f32[6, 10]\n"
            "m, y = mean(abs(x), dim=1) >> store(f32) >> mul(w) >> relu()\nreturn m, y\n"));
  EXPECT_TRUE(
      holds("target sm_90a\ninput x: f32[6, 24, 4, 4] @nhwc\nparam g: f32[24]\n"
            "y = group_norm(relu(x), 6, g) >> add(x)\nreturn y\n"));
}

// Over 16 x 16 elements what is left of rows and what is left of columns have one shape: the operands of the
// rest of the chain belong to the one or the other.
TEST(RowsMeaning, WhatFollowsAReductionIsOfItsResult) {
  for (const char* dim : {"0", "1"}) {
    EXPECT_TRUE(holds(std::string("target sm_90a\ninput x: f32[16, 16]\ninput w: f32[16]\ny = sum(x, dim=") +
                      dim + ") >> mul(w) >> add(w)\nreturn y\n"));
  }
}

}  // namespace
}  // namespace uc
