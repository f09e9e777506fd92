// What files, options and inputs that nobody means do to `ucutlass sol` and `ucutlass report`: nothing is
// lost, and what is wrong is said.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "catalog/builtin.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kProgram =
    "target sm_90a\nprecision tf32\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, "
    "b)\nreturn c\n";

class Hardened : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = real_files().make_temporary_folder("uc-hardened-").value();
    fs::create_directories(folder_ + "/captures/level1");
    capture_ = folder_ + "/captures/level1/19_ReLU.json";
    fs::copy_file(kCapture, capture_);
  }
  void TearDown() override { (void)real_files().remove(folder_); }

  int run(std::vector<std::string> args, std::string input = {}) {
    TestWorld world(std::move(input));
    world.catalog = builtin_catalog();
    const int code = world.run(std::move(args));
    out_ = world.out.str();
    err_ = world.err.str();
    return code;
  }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  static std::string text(const std::string& path) { return real_files().read(path).value_or("unreadable"); }

  const std::string kCapture = std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/19_ReLU.json";
  std::string folder_, capture_, out_, err_;
};

TEST_F(Hardened, AnInputIsNotOverwritten) {
  const std::string before = text(capture_);
  fs::create_symlink(capture_, folder_ + "/other.json");
  const std::string times = file("times.json", R"({"problem": "level1/19_ReLU", "time_ms": 5})");
  for (const auto& args : std::vector<std::vector<std::string>>{
           {"sol", capture_, "-o", capture_},
           {"sol", capture_, "-o", folder_ + "/other.json"},
           {"sol", folder_ + "/captures", "-o", capture_},
           {"report", "light-speed", "--captures", folder_ + "/captures", "-o", capture_},
           {"report", "light-speed", "--captures", folder_ + "/captures", "--times", times, "-o", times},
           {"sol", capture_, "--format", "html", "--times", times, "-o", times},
           {"capture", capture_, "-o", capture_}}) {
    EXPECT_EQ(run(args), kUsage) << testing::PrintToString(args);
    EXPECT_THAT(out_ + err_, HasSubstr("it would be overwritten")) << testing::PrintToString(args);
  }
  EXPECT_EQ(text(capture_), before);
  EXPECT_THAT(text(times), HasSubstr("time_ms"));
}

TEST_F(Hardened, APageGoesWhereALinkLeads) {
  const std::string page = file("page.html", "old");
  fs::create_symlink(page, folder_ + "/link.html");
  EXPECT_EQ(run({"sol", "-", "-o", folder_ + "/link.html"}, kProgram), kDone) << err_;
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link.html"));
  EXPECT_THAT(text(page), HasSubstr("<html"));
}

TEST_F(Hardened, ADashIsStandardOutput) {
  EXPECT_EQ(run({"sol", "-", "-o", "-"}, kProgram), kDone);
  EXPECT_THAT(out_, HasSubstr("certified"));
  EXPECT_EQ(run({"language", "-o", "-"}), kDone);
  EXPECT_FALSE(out_.empty());
  EXPECT_EQ(run({"report", "light-speed", "--captures", folder_ + "/captures", "-o", "-"}), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("geomean"));
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(Hardened, NumbersHaveLimits) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--clock", "-1"},
                                                        {"--clock", "1e-9"},
                                                        {"--clock", "1e30"},
                                                        {"--clock", "99"},
                                                        {"--time", "0"},
                                                        {"--time", "-.5"},
                                                        {"--time", "1e-7"},
                                                        {"--time", "1e10"},
                                                        {"--base", "1e300"},
                                                        {"--reach", "1e-300"}}) {
    EXPECT_EQ(run({"sol", "-", option, value}, kProgram), kUsage) << option << " " << value;
    EXPECT_THAT(err_, HasSubstr(option + " needs a number from")) << value;
  }
  EXPECT_EQ(run({"sol", "-", "--clock", "1000"}, kProgram), kDone) << err_;
  EXPECT_EQ(run({"sol", "-", "--time", "1e9"}, kProgram), kDone) << err_;
}

TEST_F(Hardened, TimesHaveLimitsToo) {
  for (const char* time : {R"("time_ms": 1e-300)", R"("time_us": 1e-4)", R"("time_ms": 1e12)",
                           R"("time_ms": 5, "series": "a\u001b[31m")"}) {
    const std::string times =
        file("times.jsonl", std::string(R"({"problem": "level1/19_ReLU", )") + time + "}");
    EXPECT_EQ(run({"sol", capture_, "--format", "html", "--times", times}), kFindings) << time;
    EXPECT_THAT(err_, HasSubstr("times.jsonl:1: ")) << time;
    EXPECT_THAT(err_, Not(HasSubstr("\x1b")));
  }
  const std::string against = file("against.jsonl", R"({"level": 1, "id": 19, "eager_fp32_ms": 1e-300})");
  EXPECT_EQ(run({"sol", folder_ + "/captures", "--against", against}), kFindings);
  EXPECT_THAT(err_, HasSubstr("eager_fp32_ms"));
}

TEST_F(Hardened, OfVeryManyTimesAPageShowsTheFastest) {
  std::string lines;
  for (int i = 0; i < 5000; ++i)
    lines += R"({"problem": "level1/19_ReLU", "time_ms": )" + std::to_string(5 + i) + "}\n";
  EXPECT_EQ(run({"sol", capture_, "--format", "html", "--times", file("times.jsonl", lines)}), kDone) << err_;
  EXPECT_THAT(err_, HasSubstr("not shown: 4900 slower times"));
}

TEST_F(Hardened, ATimeFasterThanLightHasOneExitCode) {
  const std::string times = file("times.jsonl", R"({"problem": "level1/19_ReLU", "time_ms": 0.001})");
  EXPECT_EQ(run({"report", "light-speed", "--captures", folder_ + "/captures", "--times", times}), kRejected);
  EXPECT_EQ(run({"sol", capture_, "--time", "0.001"}), kRejected);
}

TEST_F(Hardened, StrictNamesWhatIsNotCounted) {
  std::string odd = text(capture_);
  const std::string target = "aten.relu.default";
  for (size_t at; (at = odd.find(target)) != std::string::npos;)
    odd.replace(at, target.size(), "aten.fft_fft.default");
  EXPECT_EQ(run({"sol", file("odd.json", odd), "--strict"}), kFindings);
  EXPECT_THAT(err_, HasSubstr("not counted: "));
  EXPECT_EQ(run({"sol", "-", "--strict"}, kProgram), kDone);
  EXPECT_EQ(err_, "");
}

TEST_F(Hardened, ATensorWithoutElementsIsRefused) {
  std::string empty = text(capture_);
  const size_t shape = empty.find("\"shape\"");
  ASSERT_NE(shape, std::string::npos);
  const size_t at = empty.find('[', shape) + 1;
  empty.replace(at, empty.find(',', at) - at, "0");
  const std::string path = file("empty.json", empty);
  for (const char* command : {"sol", "import"}) {
    EXPECT_EQ(run({command, path}), kFindings) << command;
    EXPECT_THAT(err_, HasSubstr("has no elements")) << command;
  }
}

TEST_F(Hardened, WhatEndsInJsonIsACapture) {
  for (const char* content : {"1", "[[[", "", "null"}) {
    const std::string path = file("odd.json", content);
    EXPECT_EQ(run({"sol", path}), kFindings) << content;
    EXPECT_THAT(err_, Not(HasSubstr("UC1"))) << content;
    EXPECT_THAT(err_, HasSubstr("odd.json: ")) << content;
  }
}

TEST_F(Hardened, AnOutputSaysWhatItShallHold) {
  EXPECT_EQ(run({"sol", "-", "-o", folder_ + "/a.pdf"}, kProgram), kUsage);
  EXPECT_THAT(err_, HasSubstr("a.pdf hold?"));
  EXPECT_EQ(run({"sol", "-", "-o", folder_ + "/"}, kProgram), kFindings);
  EXPECT_THAT(err_, HasSubstr("name a file, not a folder"));
  EXPECT_EQ(run({"sol", "-", "-o", folder_ + "/a.txt"}, kProgram), kDone) << err_;
  for (const char* option : {"-o", "--device", "--calibration", "--times", "--against"}) {
    EXPECT_EQ(run({"sol", "-", option, ""}, kProgram), kUsage) << option;
    EXPECT_THAT(err_, HasSubstr("needs a value")) << option;
  }
}

TEST_F(Hardened, APipeIsNoCalibration) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(run({"sol", "-", "--calibration", pipe}, kProgram), kUsage);
  EXPECT_THAT(err_, HasSubstr("no regular file"));
}

TEST_F(Hardened, NamedSizesAreSaid) {
  const std::string source =
      "target sm_90a\nprecision tf32\ndim N = 1..8192\ninput A: f32[N, 64]\nB = relu(A)\nreturn B\n";
  EXPECT_EQ(run({"sol", "-"}, source), kDone) << err_;
  EXPECT_EQ(err_, "bounds are at N = 8192 of 1..8192\n");
}

TEST_F(Hardened, SeveralProblemsHaveAPage) {
  EXPECT_EQ(run({"sol", capture_, kCapture, "--format", "html"}), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("<html"));
}

}  // namespace
}  // namespace uc::cli
