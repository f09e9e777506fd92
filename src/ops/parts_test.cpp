// What rows say of the parts that a part of their result needs (OpSpec::needs): each element of them, made
// NaN, shows in that part of the result.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "syntax/parser.h"

namespace uc::ops {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

constexpr const char* kSteps[] = {
    "input a: f32[4, 6]\ninput b: f32[6, 5]\ny = gemm(a, b)\n",
    "input a: f32[2, 4, 6]\ninput b: f32[2, 6, 5]\ny = gemm(a, b)\n",
    "input a: f32[2, 3, 6]\ninput b: f32[5, 6]\ny = linear(a, b)\n",
    "input a: f32[2, 4, 7, 6]\ninput w: f32[6, 2, 3, 3]\ny = conv2d(a, w, groups=2, padding=1, stride=2)\n",
    "input a: f32[2, 4, 9]\ninput w: f32[6, 4, 3]\ny = conv1d(a, w, dilation=2)\n",
    "input a: f32[2, 4, 5, 6]\ninput w: f32[4, 3, 3, 2]\ny = conv_transpose2d(a, w, stride=2, padding=1)\n",
    "input a: f32[1, 2, 6]\ninput w: f32[2, 3, 2]\ny = conv_transpose1d(a, w, stride=3, dilation=2)\n",
    "input a: f32[2, 3, 8, 9]\ny = avg_pool2d(a, 2, stride=3)\n",
    "input a: f32[2, 3, 9]\ny = max_pool1d(a, 3, stride=2, padding=1)\n",
    "input a: f32[2, 3, 10]\ny = adaptive_avg_pool(a, 4)\n",
    "input a: f32[3, 4, 5]\ny = sum(a, dim=1)\n",
    "input a: f32[3, 4, 5]\ny = mean(a, dim=[0, 2], keepdim=true)\n",
    "input a: f32[3, 4, 5]\ny = logsumexp(a, dim=1)\n",
    "input a: f32[3, 4, 5]\ny = softmax(a, dim=1)\n",
    "input a: f32[3, 4, 5]\ninput w: f32[5]\ninput b: f32[5]\ny = layer_norm(a, w, b)\n",
    "input a: f32[3, 4, 5]\ny = group_norm(a, groups=2)\n",
    "input a: f32[3, 4, 5]\ny = cumsum(a, dim=1)\n",
    "input a: f32[3, 4, 5]\ny = cumsum(a, dim=1, reverse=true, exclusive=true)\n",
    "input a: f32[3, 4]\ninput b: f32[3, 5]\ninput c: f32[3, 2]\ny = concat(a, b, c, dim=1)\n",
    "input a: f32[3, 4]\ny = pad(a, [1, 2, -1, 1])\n",
    "input a: f32[3, 6]\ny = roll(a, [1, -2], [0, 1])\n",
    "input q: f32[1, 4, 5, 3]\ninput k: f32[1, 2, 6, 3]\ninput v: f32[1, 2, 6, 4]\ny = attention(q, k, v)\n",
    "input q: f32[1, 2, 5, 3]\ninput k: f32[1, 2, 5, 3]\ninput v: f32[1, 2, 5, 4]\n"
    "y = attention(q, k, v, causal=true)\n",
};

Part some_part(const Shape& shape, std::mt19937& random) {
  Part out = Part::whole(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (random() % 3 == 0) continue;
    const auto extent = static_cast<uint32_t>(shape[d]);
    out.box[d].first = random() % extent;
    out.box[d].count = 1 + random() % (extent - static_cast<uint32_t>(out.box[d].first));
  }
  if (shape.size() > 1 && random() % 3 == 0)
    out.keep({shape.size() - 2, shape.size() - 1, static_cast<int64_t>(random() % 3) - 1, random() % 2 == 0});
  return out;
}

bool holds(const Part& part, const Shape& shape, int64_t i) {
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0; i /= shape[d]) at[d] = i % shape[d];
  for (size_t d = 0; d < shape.size(); ++d) {
    if (at[d] < part.box[d].first || at[d] >= part.box[d].end()) return false;
  }
  if (!part.triangle) return true;
  const int64_t above = at[part.triangle->column] - at[part.triangle->row];
  return part.triangle->upper ? above >= part.triangle->diagonal : above <= part.triangle->diagonal;
}

class Poisoned {
 public:
  explicit Poisoned(const Program& program) : program_(program), op_(program[program.steps.back().main]) {
    for (const ValueId in : op_.in) {
      HostTensor tensor = HostTensor::zeros(DType::f32, program[in].shape);
      for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, 0.25 + static_cast<double>(i % 7));
      given_.push_back(std::move(tensor));
    }
  }

  const Op& op() const { return op_; }
  const Shape& result() const { return program_[op_.out[0]].shape; }

  // Whether element i of an operand shows in a part of the result.
  bool shows(size_t operand, int64_t i, const Part& part) {
    const double before = given_[operand].at(i);
    given_[operand].set(i, NAN);
    std::vector<const HostTensor*> in;
    for (const HostTensor& each : given_) in.push_back(&each);
    std::vector<HostTensor> out{HostTensor::zeros(DType::f32, result())};
    op_.spec->reference(program_, op_, in, out);
    given_[operand].set(i, before);
    for (int64_t at = 0; at < out[0].count(); ++at) {
      if (std::isnan(out[0].at(at)) && holds(part, result(), at)) return true;
    }
    return false;
  }

 private:
  const Program& program_;
  const Op& op_;
  std::vector<HostTensor> given_;
};

// Where only a share is claimed, no more elements than that show.
void expect_needed(Poisoned& run, const Program& program, const Part& part) {
  const Op& op = run.op();
  for (size_t i = 0; i < op.in.size(); ++i) {
    const Shape& shape = program[op.in[i]].shape;
    const Part needs = op.spec->needs(program, op, i, 0, part);
    double shown = 0;
    for (int64_t at = 0; at < numel(shape); ++at) {
      if (!holds(needs, shape, at)) continue;
      const bool shows = run.shows(i, at, part);
      shown += shows ? 1 : 0;
      EXPECT_TRUE(shows || needs.inside < 1) << op.spec->name << " operand " << i << " element " << at;
    }
    EXPECT_LE(needs.elements(), shown + 1e-6) << op.spec->name << " operand " << i;
  }
}

TEST(Parts, EachElementThatIsNeededShows) {
  std::mt19937 random(5);
  for (const char* steps : kSteps) {
    DiagSink diags;
    const ast::File tree =
        parse(std::string("target sm_90a\nprecision strict\n") + steps + "return y\n", diags);
    const Program program = resolve(catalog(), tree, diags);
    for (const Diag& diag : diags.diags()) ADD_FAILURE() << steps << diag.message;
    if (diags.has_errors()) continue;
    Poisoned run(program);
    ASSERT_NE(run.op().spec->needs, nullptr) << steps;
    expect_needed(run, program, Part::whole(run.result()));
    for (int i = 0; i < 12; ++i) {
      const Part part = some_part(run.result(), random);
      if (part.inside == 1 && part.elements() > 0) expect_needed(run, program, part);
    }
  }
}

}  // namespace
}  // namespace uc::ops
