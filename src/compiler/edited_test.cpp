#include "compiler/edited.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/builtin.h"
#include "compiler/artifacts.h"

namespace uc {
namespace {

constexpr std::string_view kProgram =
    "target sm_90a\nprecision f16\ninput x: f16[512, 256]\ninput w: f16[512, 256]\nh = linear(x, w) >> "
    "to(f16)\n"
    "y = mul(h, 2.0)\nreturn y\n";

class Edited : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = *files.make_temporary_folder("edited");
    compiled = check_source(catalog, kProgram);
    emitted = emit_program(catalog, compiled);
    const ArtifactForms forms{
        .header = false, .cu = true, .torch = false, .standalone = false, .kernelbench = false};
    ASSERT_TRUE(write_artifacts(catalog, compiled, emitted, forms, folder, files));
  }
  void TearDown() override { ASSERT_TRUE(files.remove(folder)); }

  std::string file(size_t kernel, std::string_view end) const {
    return folder + "/uck_" + emitted.kernels[kernel].hash + std::string(end);
  }
  void edit(const std::string& path, std::string_view from, std::string_view to) {
    const std::string text = *files.read(path);
    ASSERT_NE(text.find(from), std::string::npos);
    ASSERT_TRUE(files.write(path, replace_all(text, from, to)));
  }
  std::string refusal(const std::string& path) {
    const auto read = read_edited(catalog, files, path);
    EXPECT_FALSE(read);
    if (read) return {};
    EXPECT_EQ(read.error().exit_code, 2);
    EXPECT_FALSE(read.error().help.empty());
    return read.error().message;
  }

  Catalog catalog = builtin_catalog();
  Files& files = real_files();
  std::string folder;
  Compiled compiled;
  EmittedProgram emitted;
};

TEST_F(Edited, AKernelIsTakenUnderANameOfItsOwn) {
  edit(file(0, ".cu"), "using Kernel =", "// mine\nusing Kernel =");
  for (const std::string& path : {folder, file(0, ".cu"), file(0, "_host.cpp")}) {
    const auto read = read_edited(catalog, files, path);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->edited.size(), 1U);
    const EmittedKernel& kernel = read->emitted.kernels[0];
    EXPECT_NE(kernel.hash, emitted.kernels[0].hash);
    EXPECT_NE(kernel.device_source.find("// mine"), std::string::npos);
    EXPECT_EQ(kernel.device_source.find(emitted.kernels[0].hash), std::string::npos);
    EXPECT_NE(kernel.host_source.find("uck_" + kernel.hash + "_prepare"), std::string::npos);
    EXPECT_EQ(read->emitted.kernels[1].hash, emitted.kernels[1].hash);  // the other one is as it was
    EXPECT_NE(read->emitted.hash, emitted.hash);
    EXPECT_NE(read->emitted.glue.find(kernel.hash), std::string::npos);
    EXPECT_EQ(read->emitted.glue.find(emitted.kernels[0].hash), std::string::npos);
  }
}

TEST_F(Edited, WhatIsNotTakenIsRefused) {
  EXPECT_NE(refusal(folder).find("no kernel"), std::string::npos);
  edit(file(1, ".cu"), "uck_" + emitted.kernels[1].hash, "my_kernel");
  EXPECT_NE(refusal(folder).find("defines no `uck_" + emitted.kernels[1].hash + "`"), std::string::npos);
  edit(file(1, ".cu"), "my_kernel", "uck_" + emitted.kernels[1].hash);
  edit(file(0, "_host.cpp"), "_prepare(", "_prepared(");
  EXPECT_NE(refusal(folder).find("_prepare`"), std::string::npos);
  edit(file(0, "_host.cpp"), "_prepared(", "_prepare(");
  edit(folder + "/uc_math.cuh", "#", "\n#");
  EXPECT_NE(refusal(folder).find("uc_math.cuh was edited"), std::string::npos);
}

TEST_F(Edited, AFolderOfOneProgramIsAskedFor) {
  ASSERT_TRUE(files.write(folder + "/ucutlass_0123456789abcdef.uc", kProgram));
  EXPECT_NE(refusal(folder).find("holds 2 programs"), std::string::npos);
  ASSERT_TRUE(files.remove(folder + "/ucutlass_" + emitted.hash + ".uc"));
  EXPECT_NE(refusal(folder).find("edited, or written by another version"), std::string::npos);
  ASSERT_TRUE(files.write(folder + "/ucutlass_0123456789abcdef.uc", "nonsense"));
  EXPECT_NE(refusal(folder).find("is not accepted"), std::string::npos);
  EXPECT_NE(refusal(folder + "/missing/x.cu").find("no folder"), std::string::npos);
}

}  // namespace
}  // namespace uc
