// Boxes of operators that move data: together they are the whole result, each element once, and hold what the
// operator's reference gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog all = builtin_catalog();
  return all;
}

// Calls `each` with the places of all elements of a box of `extent`.
template <class Each>
void for_each_place(const Shape& extent, const Each& each) {
  Shape at(extent.size(), 0);
  for (int64_t i = 0; i < numel(extent); ++i) {
    int64_t rest = i;
    for (size_t d = extent.size(); d-- > 0; rest /= extent[d]) at[d] = rest % extent[d];
    each(at);
  }
}

int64_t number_of(const Shape& shape, const Shape& at) {
  int64_t out = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    EXPECT_GE(at[d], 0);
    EXPECT_LT(at[d], shape[d]);
    out = out * shape[d] + at[d];
  }
  return out;
}

void expect_pieces(const std::string& step) {
  SCOPED_TRACE(step);
  const std::string text =
      "target sm_90a\ninput x: f32[4, 3, 6]\ninput z: f32[4, 5, 6]\ninput v: f32[7]\ny = " + step +
      "\nreturn y\n";
  DiagSink diags;
  const Program program = resolve(catalog(), parse(text, diags), diags);
  ASSERT_FALSE(diags.has_errors()) << render_text(diags.sorted(), text, "t.uc");
  const Op& op = program[program.steps.back().main];
  ASSERT_NE(op.spec->pieces, nullptr);
  std::vector<HostTensor> given;
  std::vector<const HostTensor*> in;
  for (const ValueId id : op.in) given.push_back(HostTensor::zeros(DType::f32, program[id].shape));
  double next = 1;
  for (HostTensor& each : given) {
    for (int64_t i = 0; i < each.count(); ++i) each.set(i, next++);
    in.push_back(&each);
  }
  const Shape& shape = program[op.out[0]].shape;
  std::vector<HostTensor> want{HostTensor::zeros(DType::f32, shape)};
  op.spec->reference(program, op, in, want);
  std::vector<int> seen(static_cast<size_t>(numel(shape)), 0);
  for (const Piece& piece : op.spec->pieces(program, op)) {
    for_each_place(piece.extent, [&](const Shape& at) {
      Shape to = at;
      Shape from = piece.from;
      for (size_t d = 0; d < at.size(); ++d) {
        to[d] += piece.start[d];
        if (piece.operand) from[d] += at[d] * piece.step[d];
      }
      const int64_t i = number_of(shape, to);
      ++seen[static_cast<size_t>(i)];
      const double got = piece.operand
                             ? given[*piece.operand].at(number_of(given[*piece.operand].shape, from))
                             : piece.value;
      EXPECT_EQ(got, want[0].at(i)) << i;
    });
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
}

TEST(Pieces, AreTheWholeResultOnce) {
  for (const char* step :
       {"concat(x, z, dim=1)", "concat(x, x, x)", "concat(z, x, z, dim=-2)", "pad(x, [1, 2])",
        "pad(x, [0, 0, 2, 1], value=3.5)", "pad(x, [-1, 2, 1, -2, 1, 1])", "pad(x, [-6, 4])",
        "pad(x, [7, -6])", "pad(x, [2, 1, 1, 2], reflect)", "pad(x, [5, 9, 0, 4], replicate)",
        "pad(x, [6, 5, 3, 0, 1, 4], circular)", "roll(x, 1, 2)", "roll(x, [-1, 5, 0], [0, 2, 1])",
        "roll(v, 3)", "roll(x, 0, 0)"})
    expect_pieces(step);
}

TEST(Pieces, AroundTheEndsOfSeveralDimensionsThereAreNone) {
  const std::string text = "target sm_90a\ninput x: f32[4, 6]\ny = roll(x, 3)\nreturn y\n";
  DiagSink diags;
  const Program program = resolve(catalog(), parse(text, diags), diags);
  ASSERT_FALSE(diags.has_errors());
  const Op& op = program[program.steps.back().main];
  EXPECT_TRUE(op.spec->pieces(program, op).empty());
}

}  // namespace
}  // namespace uc
