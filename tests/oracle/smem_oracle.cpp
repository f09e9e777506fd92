// Kernels whose shared memory CUTLASS itself shall measure: for each case a folder with the host half,
// extended by a main that prints Kernel::SharedStorageSize, the stages and the epilogue's carve-out, and what
// plan/smem_model.h says. Usage: smem_oracle OUTPUT_FOLDER; then smem_oracle.sh compiles and compares.
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "base/text.h"
#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "emit/cutlass3_gemm.h"
#include "emit/kernel_hash.h"
#include "emit/templates.h"
#include "plan/smem_model.h"
#include "syntax/parser.h"

namespace {

using namespace uc;
using Schedule = ContractionConfig::Schedule;

struct Epilogue {
  const char* name;
  const char* head;  // header, operands, other inputs
  const char* chain;
};
constexpr Epilogue kEpilogues[] = {
    {"f16", "input a: f16[512, 512]\ninput b: f16[512, 512]\n", ""},
    {"f16_f32", "input a: f16[512, 512]\ninput b: f16[512, 512]\n", " >> to(f32)"},
    {"bias_f32", "precision f16\ninput a: f16[512, 512]\ninput b: f16[512, 512]\ninput v: f32[512]\n",
     " >> bias(v) >> gelu() >> to(f32)"},
    {"bias2", "input a: f16[512, 512]\ninput b: f16[512, 512]\ninput v: f16[512]\ninput w: f32[512]\n",
     " >> bias(v) >> mul(w) >> to(f32)"},
    {"residual", "input a: f16[512, 512]\ninput b: f16[512, 512]\ninput r: f16[512, 512]\n",
     " >> residual(r)"},
    {"residual_f32", "input a: f16[512, 512]\ninput b: f16[512, 512]\ninput r: f16[512, 512]\n",
     " >> residual(r) >> to(f32)"},
    {"aux",
     "input a: f16[512, 512]\ninput b: f16[512, 512]\ninput r: f16[512, 512]\ninput s: f32[512, 512]\ninput "
     "v: f32[512]\n",
     " >> bias(v) >> residual(r) >> mul(s) >> to(f32)"},
    {"tf32", "precision tf32\ninput a: f32[512, 512]\ninput b: f32[512, 512] @col\ninput v: f32[512]\n",
     " >> bias(v)"},
};

struct TileCase {
  int64_t m, n, k;
  Schedule schedule;
};
constexpr TileCase kTiles[] = {{128, 256, 64, Schedule::cooperative}, {256, 128, 64, Schedule::cooperative},
                               {128, 128, 64, Schedule::pingpong},    {64, 256, 32, Schedule::pingpong},
                               {128, 192, 64, Schedule::cooperative}, {64, 64, 128, Schedule::pingpong},
                               {128, 96, 64, Schedule::pingpong},     {128, 48, 64, Schedule::cooperative}};

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

void write_case(const Catalog& catalog, const std::string& folder, const Epilogue& epilogue,
                const TileCase& tile) {
  const std::string source =
      fmt::format("target sm_90a\n{}c = gemm(a, b){}\nreturn c\n", epilogue.head, epilogue.chain);
  DiagSink diags;
  const Program program = resolve(catalog, parse(source, diags), diags);
  std::vector<Launch> launches = lower(catalog, program, diags);
  for (const Diag& diag : diags.diags())
    std::fprintf(stderr, "%s: %s\n", epilogue.name, diag.message.c_str());
  const auto& kernel = std::get<Contraction>(launches.at(0).kernel);
  ContractionConfig config = std::get<ContractionConfig>(launches.at(0).config);
  config.tile_m = tile.m;
  config.tile_n = tile.n;
  config.tile_k = kernel.math == Math::tf32 ? tile.k / 2 : tile.k;
  config.cluster_m = config.cluster_n = 1;
  config.schedule = tile.schedule;
  const EmittedKernel emitted = emit_cutlass3_gemm(kernel, config);
  const int64_t carveout =
      epilogue_storage(mainloop_shape(kernel, config), epilogue_shape(kernel, config.tile_n)).shared_bytes;
  config.stages = stages_that_fit(kernel, config, 232448);
  const std::string name = fmt::format("{}/{}_{}x{}x{}_{}", folder, epilogue.name, config.tile_m,
                                       config.tile_n, config.tile_k, uc::name(config.schedule));
  std::filesystem::create_directories(name);
  for (const std::string_view file : support_files())
    write(name + "/" + std::string(file), std::string(support_file(file)));
  write(fmt::format("{}/uck_{}.cu", name, emitted.hash), emitted.device_source);
  write(
      name + "/main.cpp",
      emitted.host_source +
          fmt::format("\n#include <stdio.h>\nint main() {{\n  using namespace uck_{}_types;\n"
                      "  printf(\"%d %d %d\\n\", int(Kernel::CollectiveMainloop::DispatchPolicy::Stages), "
                      "int(Kernel::SharedStorageSize), int(sizeof(typename Epilogue::SharedStorage)));\n}}\n",
                      emitted.hash));
  write(name + "/model.txt",
        fmt::format("{} {} {}\n", config.stages, kernel_shared_bytes(kernel, config), carveout));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Catalog catalog = builtin_catalog();
  for (const Epilogue& epilogue : kEpilogues) {
    for (const TileCase& tile : kTiles) write_case(catalog, argv[1], epilogue, tile);
  }
  return 0;
}
