// What is told of an nvcc that ends in each way; no nvcc is run.
#include "compiler/escape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "syntax/parser.h"

namespace uc {
namespace {

using testing::HasSubstr;
using testing::Not;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

constexpr std::string_view kSource =
    "target sm_90a\n"
    "input x: f32[256]\n"
    "y = cuda(\"\"\"\n"
    "extern \"C\" __global__ void f(const float* x, float* y) { y[0] = z; }\n"
    "\"\"\", inputs=[x], out=f32[256], grid=[1], block=[256])\n"
    "return y\n";

/// An nvcc that ends in a given way.
class Ending final : public Processes {
 public:
  explicit Ending(ProcessOutput output) : output_(std::move(output)) {}
  Result<ProcessOutput> run(const ProcessSpec&) override { return output_; }
  Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec&) override { return fail("not here"); }

 private:
  ProcessOutput output_;
};

struct Outcome {
  Result<> done;
  std::vector<Diag> diags;
};

Outcome compile_with(ProcessOutput output) {
  DiagSink diags;
  const ast::File tree = parse(kSource, diags);
  const Program program = resolve(catalog(), tree, diags);
  EXPECT_FALSE(diags.has_errors()) << render_text(diags.sorted(), kSource, "test.uc");
  Ending nvcc(std::move(output));
  Toolchain toolchain;
  toolchain.nvcc = "nvcc";
  DiagSink found;
  Result<> done = compile_escapes(program, kSource, toolchain, nvcc, real_files(), found);
  return {std::move(done), found.sorted()};
}

TEST(Escape, ACleanCompileSaysNothing) {
  const Outcome outcome = compile_with({});
  EXPECT_TRUE(outcome.done);
  EXPECT_TRUE(outcome.diags.empty());
}

TEST(Escape, ErrorsStandAtTheirLineOfTheProgram) {
  ProcessOutput output;
  output.end.code = 2;
  output.err = "ucutlass_program(4): error: identifier \"z\" is undefined\n1 error detected\n";
  const Outcome outcome = compile_with(output);
  ASSERT_TRUE(outcome.done);
  ASSERT_EQ(outcome.diags.size(), 1U);
  EXPECT_THAT(outcome.diags[0].message, HasSubstr("identifier \"z\" is undefined"));
  EXPECT_EQ(kSource.substr(outcome.diags[0].span.begin, 10), "extern \"C\"");
}

// A machine with too much to do says nothing about the source.
TEST(Escape, AnNvccThatIsKilledIsNoErrorOfTheSource) {
  for (const auto kind :
       {ProcessEnd::Kind::timed_out, ProcessEnd::Kind::signalled, ProcessEnd::Kind::out_of_memory}) {
    ProcessOutput output;
    output.end = {kind, kind == ProcessEnd::Kind::signalled ? 9 : 0};
    const Outcome outcome = compile_with(output);
    EXPECT_TRUE(outcome.diags.empty());
    ASSERT_FALSE(outcome.done);
    EXPECT_THAT(outcome.done.error().message, HasSubstr(describe(output.end)));
    EXPECT_THAT(outcome.done.error().message, HasSubstr("line 3"));
    EXPECT_THAT(outcome.done.error().message, Not(HasSubstr("does not compile")));
    EXPECT_FALSE(outcome.done.error().help.empty());
  }
}

}  // namespace
}  // namespace uc
