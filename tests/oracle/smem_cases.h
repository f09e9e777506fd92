#pragma once
// Why: the same kernels are measured by CUTLASS (smem_oracle.cpp) and modelled (smem_recorded_test.cpp).
#include <fmt/format.h>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/smem_model.h"
#include "syntax/parser.h"

namespace uc::oracle {

using Schedule = ContractionConfig::Schedule;

struct EpilogueCase {
  const char* name;
  const char* head;  ///< headers, operands, other inputs
  const char* chain;
};
inline constexpr EpilogueCase kEpilogues[] = {
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
  int64_t m, n, k;  ///< k for 16-bit operands; tf32 takes half
  Schedule schedule;
};
inline constexpr TileCase kTiles[] = {
    {128, 256, 64, Schedule::cooperative}, {256, 128, 64, Schedule::cooperative},
    {128, 128, 64, Schedule::pingpong},    {64, 256, 32, Schedule::pingpong},
    {128, 192, 64, Schedule::cooperative}, {64, 64, 128, Schedule::pingpong},
    {128, 96, 64, Schedule::pingpong},     {128, 48, 64, Schedule::cooperative}};

struct Case {
  std::string name;
  Contraction kernel;
  ContractionConfig config;  ///< stages: automatic
};

inline Case make_case(const Catalog& catalog, const EpilogueCase& epilogue, const TileCase& tile) {
  DiagSink diags;
  const std::string source =
      fmt::format("target sm_90a\n{}c = gemm(a, b){}\nreturn c\n", epilogue.head, epilogue.chain);
  const Program program = resolve(catalog, parse(source, diags), diags);
  const std::vector<Launch> launches = lower(catalog, program, diags);
  Case out;
  out.kernel = std::get<Contraction>(launches.at(0).kernel);
  out.config.tile_m = tile.m;
  out.config.tile_n = tile.n;
  out.config.tile_k = out.kernel.math == Math::tf32 ? tile.k / 2 : tile.k;
  out.config.cluster_m = out.config.cluster_n = 1;
  out.config.schedule = tile.schedule;
  out.name = fmt::format("{}_{}x{}x{}_{}", epilogue.name, out.config.tile_m, out.config.tile_n,
                         out.config.tile_k, name(tile.schedule));
  return out;
}

/// "stages kernel_bytes epilogue_bytes", as the oracle prints them.
inline std::string modelled(const Case& at) {
  const int64_t carveout =
      epilogue_storage(mainloop_shape(at.kernel, at.config), epilogue_shape(at.kernel, at.config.tile_n))
          .shared_bytes;
  ContractionConfig config = at.config;
  config.stages = stages_that_fit(at.kernel, config, 232448);
  return fmt::format("{} {} {}", config.stages, kernel_shared_bytes(at.kernel, config), carveout);
}

}  // namespace uc::oracle
