// Every operator row: its examples parse, resolve and lower; its texts are there.
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "exec/random.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

bool uses(const Program& program, const OpSpec& spec) {
  for (const Op& op : program.ops) {
    if (op.spec == &spec) return true;
  }
  return false;
}

class OpRow : public testing::TestWithParam<const OpSpec*> {};

TEST_P(OpRow, HasTwoExamplesThatResolveAndLower) {
  const OpSpec& spec = *GetParam();
  EXPECT_FALSE(spec.summary.empty());
  EXPECT_EQ(spec.examples.size(), 2U);
  for (const std::string_view source : spec.examples) {
    DiagSink diags;
    const ast::File tree = parse(source, diags);
    const Program program = resolve(catalog(), tree, diags);
    if (!diags.has_errors()) lower(catalog(), program, diags);
    for (const Diag& diag : diags.diags())
      EXPECT_EQ(diag.id, "UC1907") << render_text(diags.sorted(), source, std::string(spec.name) + ".uc");
    EXPECT_TRUE(uses(program, spec)) << source;
  }
}

TEST_P(OpRow, ExamplesRunOnTheHost) {
  for (const std::string_view source : GetParam()->examples) {
    DiagSink diags;
    const Program program = resolve(catalog(), parse(source, diags), diags);
    ASSERT_FALSE(diags.has_errors()) << source;
    const auto data = [&program](const std::vector<ValueId>& ids) {
      std::vector<HostTensor> out;
      for (const ValueId id : ids)
        out.push_back(random_tensor(program[id].dtype, program[id].shape, out.size()));
      return out;
    };
    const auto results = execute(catalog(), program, data(program.inputs), data(program.params));
    if (GetParam()->family == "escape") {  // says so, and does nothing
      ASSERT_FALSE(results.has_value());
      EXPECT_NE(results.error().message.find("no meaning on the CPU"), std::string::npos);
      continue;
    }
    ASSERT_TRUE(results.has_value()) << results.error().message << "\n" << source;
    for (size_t i = 0; i < results->size(); ++i) {
      EXPECT_EQ((*results)[i].shape, program[program.results[i]].shape) << source;
      for (int64_t k = 0; k < (*results)[i].count(); ++k)
        ASSERT_TRUE(std::isfinite((*results)[i].at(k))) << source;
    }
  }
}

TEST_P(OpRow, NamesAreUnique) {
  size_t same = 0;
  for (const OpSpec* other : catalog().ops()) same += other->name == GetParam()->name ? 1 : 0;
  EXPECT_EQ(same, 1U);
}

TEST_P(OpRow, HasMeaning) {
  const OpSpec& spec = *GetParam();
  EXPECT_TRUE(spec.is_view() || spec.is_pointwise() || spec.reference != nullptr || spec.family == "escape");
  EXPECT_FALSE(spec.is_view() && spec.infer == nullptr);
}

// All but those that only bounds know: they stand in no text and never run.
std::vector<const OpSpec*> said() {
  std::vector<const OpSpec*> out(catalog().ops().begin(), catalog().ops().end());
  std::erase_if(out, [](const OpSpec* spec) { return spec->family == "bounds"; });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Ops, OpRow, testing::ValuesIn(said()),
                         [](const auto& param_info) { return std::string(param_info.param->name); });

TEST(AtenTargets, AreImportedByOneRowEach) {
  std::set<std::string_view> seen;
  for (const OpSpec* spec : catalog().ops()) {
    for (const AtenImport& form : spec->aten) EXPECT_TRUE(seen.insert(form.target).second) << form.target;
  }
}

}  // namespace
}  // namespace uc
