#pragma once
// Why: the same kernels are measured by CUTLASS (uc_oracle smem) and modelled (recorded_test.cpp).
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "ir/kernel.h"

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

/// Elements of K: 32-bit operands take half.
inline int64_t tile_k(const EpilogueCase& epilogue, const TileCase& tile) {
  return std::string_view(epilogue.name) == "tf32" ? tile.k / 2 : tile.k;
}

inline std::string case_name(const EpilogueCase& epilogue, const TileCase& tile) {
  return fmt::format("{}_{}x{}x{}_{}", epilogue.name, tile.m, tile.n, tile_k(epilogue, tile),
                     name(tile.schedule));
}

/// The stages are left to CUTLASS.
inline std::string case_source(const EpilogueCase& epilogue, const TileCase& tile) {
  return fmt::format("target sm_90a\n{}c = gemm(a, b).tile({}x{}x{}).cluster(1x1).schedule({}){}\nreturn c\n",
                     epilogue.head, tile.m, tile.n, tile_k(epilogue, tile), name(tile.schedule),
                     epilogue.chain);
}

}  // namespace uc::oracle
