// What is emitted: golden texts (UCUTLASS_UPDATE_GOLDEN=1 rewrites them, to be read as a diff), and what must
// hold for all.
#include "compiler/emission.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "catalog/builtin.h"
#include "diag/render.h"

namespace uc {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> programs() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(UC_SOURCE_DIR) / "tests/emit/programs"))
    out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

EmittedProgram emit(const fs::path& path) {
  const Catalog catalog = builtin_catalog();
  const Compiled compiled = check_source(catalog, read(path));
  EXPECT_TRUE(compiled.ok()) << path;
  return compiled.ok() ? emit_program(catalog, compiled) : EmittedProgram{};
}

std::string kernels_text(const EmittedProgram& program) {
  std::string out;
  for (const EmittedKernel& kernel : program.kernels)
    out += "==== device\n" + kernel.device_source + "==== host\n" + kernel.host_source;
  return out;
}

TEST(Emission, KernelsEqualTheirGoldens) {
  const bool update = std::getenv("UCUTLASS_UPDATE_GOLDEN") != nullptr;
  ASSERT_GE(programs().size(), 6U);
  for (const fs::path& path : programs()) {
    const fs::path golden = path.parent_path().parent_path() / "golden" / (path.stem().string() + ".txt");
    const std::string text = kernels_text(emit(path));
    if (update) std::ofstream(golden) << text;
    EXPECT_EQ(text, read(golden)) << "differs from " << golden << "; UCUTLASS_UPDATE_GOLDEN=1 rewrites it";
  }
}

// 1e300 is finite in a program and infinite in the f32 of a kernel.
TEST(Emission, InfiniteConstantsAreThoseOfMathH) {
  const Catalog catalog = builtin_catalog();
  for (const char* constant : {"inf", "1e300"}) {
    const Compiled compiled = check_source(
        catalog,
        fmt::format("target sm_90a\ninput x: f32[64, 64]\ny = minimum(x, {})\nz = y * -{}\nreturn z\n",
                    constant, constant));
    ASSERT_TRUE(compiled.ok()) << constant << render_text(compiled.diags.sorted(), compiled.source, "");
    const std::string text = kernels_text(emit_program(catalog, compiled));
    EXPECT_NE(text.find("INFINITY"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf."), std::string::npos) << text;
  }
}

TEST(Emission, IsByteIdentical) {
  for (const fs::path& path : programs()) {
    const EmittedProgram first = emit(path);
    const EmittedProgram second = emit(path);
    EXPECT_EQ(kernels_text(first), kernels_text(second));
    EXPECT_EQ(first.glue, second.glue);
    EXPECT_EQ(first.manifest, second.manifest);
  }
}

TEST(Emission, NamesNoTorchHeader) {
  for (const fs::path& path : programs()) {
    const EmittedProgram program = emit(path);
    EXPECT_THAT(kernels_text(program) + program.glue, testing::Not(testing::HasSubstr("torch/")));
  }
}

constexpr std::string_view kSmall =
    "target sm_90a\ninput A: f16[{}, 256]\ninput B: f16[256, {}]\nC = gemm(A, B).tile(128x128x64)"
    ".cluster(1x1).schedule(pingpong)\nreturn C\n";

TEST(Emission, KernelsDoNotDependOnSizes) {
  const Catalog catalog = builtin_catalog();
  const auto hash = [&](int rows, int columns) {
    std::string source(kSmall);
    source.replace(source.find("{}"), 2, std::to_string(rows));
    source.replace(source.find("{}"), 2, std::to_string(columns));
    const Compiled compiled = check_source(catalog, source);
    EXPECT_TRUE(compiled.ok());
    return emit_program(catalog, compiled).kernels.at(0).hash;
  };
  EXPECT_EQ(hash(512, 1024), hash(256, 4096));
}

// What a kernel makes of weights that are made when they are loaded is made then too. Others may change
// between calls.
TEST(Emission, KeepsWhatIsMadeOfPrepackedWeights) {
  const Catalog catalog = builtin_catalog();
  const auto glue = [&](std::string_view weight) {
    const Compiled compiled =
        check_source(catalog, fmt::format("target sm_90a\ninput x: f32[64, 128]\nparam W: f32[96, 128]\n"
                                          "y = linear(x, {}).math(f16x3)\nreturn y\n",
                                          weight));
    EXPECT_TRUE(compiled.ok());
    return emit_program(catalog, compiled).glue;
  };
  // A launch: its kernel, whether it is of the load phase, whether it keeps.
  EXPECT_THAT(glue("prepack(W)"), testing::ContainsRegex("\\{1, false, true, 1, 64, 96, 128,"));
  EXPECT_THAT(glue("W"), testing::ContainsRegex("\\{0, false, false, 1, 64, 96, 128,"));
}

}  // namespace
}  // namespace uc
