#include "cli/calibrate/benchmarks.h"

#include <array>
#include <fmt/format.h>
#include <ostream>

#include "build/builder.h"
#include "compiler/artifacts.h"
#include "diag/render.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

struct Benchmark {
  std::string_view math;
  std::string_view shape;
  std::string_view program;
};

// Knobs of f16 and bf16: bench/programs; the others are chosen by the model.
constexpr std::array kBenchmarks{
    Benchmark{"f16", "4096x4096x4096",
              "target sm_90a\ninput A: f16[4096, 4096]\ninput B: f16[4096, 4096]\nC = gemm(A, B)"
              ".tile(128x256x64).cluster(2x1).schedule(cooperative).swizzle(8).raster(along_n)\nreturn C\n"},
    Benchmark{"f16", "8192x8192x8192",
              "target sm_90a\ninput A: f16[8192, 8192]\ninput B: f16[8192, 8192]\nC = gemm(A, B)"
              ".tile(128x256x64).cluster(2x1).schedule(cooperative).swizzle(8).raster(along_n)\nreturn C\n"},
    Benchmark{"bf16", "8192x8192x8192",
              "target sm_90a\ninput A: bf16[8192, 8192]\ninput B: bf16[8192, 8192]\nC = gemm(A, B)"
              ".tile(128x256x64).cluster(2x1).schedule(cooperative).swizzle(8).raster(along_n)\nreturn C\n"},
    Benchmark{"tf32", "8192x8192x8192",
              "target sm_90a\nprecision tf32\ninput A: f32[8192, 8192]\ninput B: f32[8192, 8192]\n"
              "C = gemm(A, transpose(B)).math(tf32)\nreturn C\n"},
};

struct Place {
  Compiled compiled;
  std::string folder;
  std::string executable() const { return folder + "/bench"; }
};

Result<Place> place_of(const Context& context, const Benchmark& benchmark, const std::string& folder) {
  Place out;
  out.compiled = check_source(context.catalog, benchmark.program);
  if (!out.compiled.ok() || !out.compiled.emittable)
    return fail(fmt::format("the benchmark in {} of {} does not compile: {}", benchmark.math, benchmark.shape,
                            render_text(out.compiled.diags.sorted(), benchmark.program, "benchmark", {})),
                "this is a fault of ucutlass: please report it");
  out.folder = fmt::format("{}/{}_{}_{}", folder, benchmark.math, benchmark.shape, out.compiled.hash);
  return out;
}

Result<> build(const Context& context, const Place& place, Builder& builder) {
  const EmittedProgram emitted = emit_program(context.catalog, place.compiled);
  const ArtifactForms forms{.header = true, .cu = false, .torch = false, .standalone = true};
  auto made = context.files.make_folder(place.folder);
  if (!made) return made;
  const auto written =
      write_artifacts(context.catalog, place.compiled, emitted, forms, place.folder, context.files);
  if (!written) return tl::unexpected(written.error());
  const auto library = builder.program(emitted.kernels, emitted.glue,
                                       fmt::format("{}/ucutlass_{}.so", place.folder, emitted.hash));
  if (!library) return tl::unexpected(library.error());
  ProcessSpec nvcc;
  nvcc.argv = {builder.toolchain().nvcc,
               "-std=c++17",
               "-O3",
               "-arch=" + place.compiled.program.target,
               "--expt-relaxed-constexpr",
               fmt::format("ucutlass_{}_bench.cu", emitted.hash),
               "-o",
               "bench",
               "-ldl"};
  nvcc.folder = place.folder;
  const auto done = context.processes.run(nvcc);
  if (!done) return tl::unexpected(done.error());
  if (!done->end.ok())
    return fail(fmt::format("nvcc of {}: {}", place.folder, describe(done->end)), done->err.substr(0, 2000));
  return {};
}

}  // namespace

Result<> build_benchmarks(const Context& context, const std::string& folder) {
  std::vector<Place> missing;
  for (const Benchmark& benchmark : kBenchmarks) {
    auto place = place_of(context, benchmark, folder);
    if (!place) return tl::unexpected(place.error());
    if (!context.files.exists(place->executable())) missing.push_back(std::move(*place));
  }
  if (missing.empty()) return {};
  auto toolchain = find_toolchain(context.processes);
  if (!toolchain) return tl::unexpected(toolchain.error());
  auto can = require_build(*toolchain);
  if (!can) return can;
  BuilderOptions options;
  options.progress = [&](const std::string& text) { context.err << text << "\n"; };
  Builder builder(std::move(*toolchain), std::move(options), context.processes, context.files);
  for (const Place& place : missing) {
    context.err << "building " << place.folder << "\n";
    auto done = build(context, place, builder);
    if (!done) return done;
  }
  return {};
}

void run_benchmarks(const Context& context, const std::string& folder, int64_t device_index, Measured& to) {
  for (const Benchmark& benchmark : kBenchmarks) {
    const auto place = place_of(context, benchmark, folder);
    if (!place || !context.files.exists(place->executable())) {
      to.warnings.push_back(
          fmt::format("own kernel in {} of {}: not built", benchmark.math, benchmark.shape));
      continue;
    }
    context.err << fmt::format("measuring our kernel in {} of {}\n", benchmark.math, benchmark.shape);
    ProcessSpec run;
    run.argv = {"./bench"};
    run.env = {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", std::to_string(device_index)}};
    run.folder = place->folder;
    run.deadline = std::chrono::seconds(60);
    const auto done = context.processes.run(run);
    const std::string why = !done            ? done.error().message
                            : done->end.ok() ? std::string()
                                             : describe(done->end) + ": " + done->out + done->err;
    add_benchmark(done ? done->out : "", why, benchmark.math, benchmark.shape, to);
  }
}

}  // namespace uc::cli
