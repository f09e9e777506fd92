// `ucutlass calibrate` as a user meets it, on a machine whose GPU is made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalog/builtin.h"
#include "cli/testing.h"
#include "sol/calibration.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

// A machine with a GPU: what measures is not run, its lines are given.
struct GpuFiles final : Files {
  Result<std::string> read(const std::string& path) override { return real_files().read(path); }
  Result<> write(const std::string& path, std::string_view bytes, int mode) override {
    return real_files().write(path, bytes, mode);
  }
  Result<> replace(const std::string& path, std::string_view bytes) override {
    return real_files().replace(path, bytes);
  }
  bool exists(const std::string& path) override {
    return starts_with(path, "/dev/nvidia") ? has_gpu : real_files().exists(path);
  }
  Result<> make_folder(const std::string& path) override { return real_files().make_folder(path); }
  Result<std::string> make_temporary_folder(std::string_view prefix) override {
    return real_files().make_temporary_folder(prefix);
  }
  Result<> remove(const std::string& path) override { return real_files().remove(path); }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return real_files().list(folder);
  }
  bool has_gpu = true;
};

struct GpuProcesses final : Processes {
  Result<ProcessOutput> run(const ProcessSpec& spec) override {
    ProcessOutput out;
    const std::string& program = spec.argv.front();
    const bool is_script = spec.argv.size() > 1 && spec.argv[1].ends_with("products.py");
    if (program.ends_with("/rates")) {
      out.out = rates;
    } else if (is_script) {
      out.out = products;
      out.end.code = products.empty() ? 1 : 0;
      out.err = "No module named 'torch'";
    } else if (program == "nvidia-smi") {
      out.out = "580.159, GPU-made-up\n";
    } else if (fails) {
      out.end.code = 1;
      out.err = "rates.cu: error: no such thing";
    }
    return out;
  }
  Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec&) override { return fail("not here"); }
  std::string rates, products;
  bool fails = false;
};

constexpr std::string_view kRates =
    R"({"record":"device","name":"NVIDIA H200","sms":132,"l2_bytes":62914560,"max_sm_mhz":1980}
{"record":"memory","what":"read","best":4.4,"median":4.3,"sm_mhz":1980,"dram_mhz":3201,"by":"8 blocks an SM"}
{"record":"pipe","what":"fma","best":32.5,"median":32.0,"sm_mhz":1950}
{"record":"launch","what":"graph","us":1.4}
)";
constexpr std::string_view kProducts =
    R"({"record":"product","what":"f16","best":740,"median":700,"shape":"8192x8192x8192","data":"normal","by":"torch","sm_mhz":1500}
)";

struct Machine : testing::Test {
  void SetUp() override {
    folder = *real_files().make_temporary_folder("ucutlass-machine");
    environment.values = {
        {"XDG_DATA_HOME", folder}, {"UCUTLASS_NVCC", "/bin/sh"}, {"UCUTLASS_PYTHON", "/bin/sh"}};
    processes.rates = kRates;
    processes.products = kProducts;
  }
  void TearDown() override { (void)real_files().remove(folder); }
  int run(std::vector<std::string> args) {
    out.str({});
    err.str({});
    std::istringstream in;
    const Context context{catalog, in, out, err, environment, files, processes, clock};
    return cli::run(context, builtin_commands(), args);
  }
  Calibration kept() {
    const auto text = real_files().read(folder + "/ucutlass/calibration/h200.json");
    return text ? parse_calibration(*text).value_or(Calibration{}) : Calibration{};
  }

  Catalog catalog = builtin_catalog();
  FakeEnvironment environment;
  GpuFiles files;
  GpuProcesses processes;
  FakeClock clock;
  std::ostringstream out, err;
  std::string folder;
};

TEST_F(Machine, WhatWasMeasuredIsKeptAndBoundsUseIt) {
  ASSERT_EQ(run({"calibrate", "--quick", "-o", folder + "/copy.json"}), kDone) << err.str();
  const Calibration seen = kept();
  EXPECT_EQ(seen.device, "h200");
  EXPECT_EQ(seen.driver, "580.159");
  EXPECT_EQ(seen.date, "2023-11-14");  // the fake clock's
  EXPECT_EQ(seen.launch_us, 1.4);
  EXPECT_EQ(best_of(seen.memory)->best, 4.4);
  EXPECT_EQ(best_of(seen.products, "f16")->best, 740);   // measured here: the shipped 830 is not mixed in
  EXPECT_GT(best_of(seen.products, "tf32x3")->best, 0);  // not measured here: what ships
  EXPECT_EQ(*real_files().read(folder + "/copy.json"), calibration_json(seen));
  EXPECT_THAT(out.str(), HasSubstr("4.4 TB/s"));
  const std::string problem =
      std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/1_Square_matrix_multiplication_.json";
  ASSERT_EQ(run({"sol", problem, "--precision", "f16", "--json"}), kDone) << err.str();
  EXPECT_NEAR(nlohmann::json::parse(out.str())["calibrated"]["us"].get<double>(),
              2.0 * 4096 * 4096 * 4096 / 740e6, 0.1);
}

TEST_F(Machine, ADeviceThatNobodyKnowsIsNotGuessed) {
  processes.rates = R"({"record":"device","name":"NVIDIA T1000","sms":14})";
  EXPECT_EQ(run({"calibrate", "--quick"}), kFindings);
  EXPECT_THAT(err.str(), HasSubstr("NVIDIA T1000"));
  EXPECT_EQ(kept().device, "");
}

TEST_F(Machine, WithoutTorchTheRestIsMeasured) {
  processes.products.clear();
  EXPECT_EQ(run({"calibrate", "--quick"}), kDone);
  EXPECT_THAT(err.str(), HasSubstr("No module named 'torch'"));
  EXPECT_EQ(best_of(kept().products, "f16")->best,
            best_of(shipped_calibration("h200")->products, "f16")->best);
}

TEST_F(Machine, WhatCannotBeCompiledOrIsMissingIsSaid) {
  processes.fails = true;
  EXPECT_EQ(run({"calibrate", "--quick"}), kFindings);
  EXPECT_THAT(err.str(), HasSubstr("no such thing"));
  environment.values["UCUTLASS_NVCC"] = "/nowhere/nvcc";
  EXPECT_EQ(run({"calibrate", "--quick"}), kMissing);
  EXPECT_THAT(err.str(), HasSubstr("nvcc is missing"));
  EXPECT_EQ(kept().device, "");
}

TEST_F(Machine, WithoutAGpuSaysWhatIsMissing) {
  files.has_gpu = false;
  EXPECT_EQ(run({"calibrate"}), kMissing);
  EXPECT_THAT(err.str(), HasSubstr("no NVIDIA GPU"));
  EXPECT_EQ(run({"calibrate", "--json", "--quick"}), kMissing);
  EXPECT_EQ(nlohmann::json::parse(out.str())["schema"], "ucutlass.error/1");
}

TEST_F(Machine, WithoutAPlaceForItsBenchmarksSaysSo) {
  environment.values.clear();
  EXPECT_EQ(run({"calibrate", "--build"}), kFindings);
  EXPECT_THAT(err.str(), HasSubstr("HOME"));
  EXPECT_EQ(run({"calibrate", "--device-index", "-1"}), kUsage);
}

}  // namespace
}  // namespace uc::cli
