#include "emit/attention_instructions.h"

#include <fmt/format.h>
#include <string_view>

namespace uc {
namespace {

// D[64, columns] += A[64, 16] B[16, columns], its sums as operands 0 on.
std::string instruction(std::string_view type, int64_t columns, std::string_view operands) {
  std::string sums;
  for (int64_t i = 0; i < columns / 2; ++i) sums += fmt::format("{}%{}", i == 0 ? "" : ",", i);
  return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k16.f32.{}.{} {{{}}}, {}", columns, type, type, sums,
                     operands);
}

std::string sums(int64_t columns) {
  std::string out;
  for (int64_t i = 0; i < columns / 2; ++i)
    out += fmt::format("{}\"+f\"(d[{}][{}])", i == 0 ? "" : ", ", i / 4, i % 4);
  return out;
}

// One function: on the device the instruction, whose last input says whether sums go on; in tests its
// meaning.
std::string function(std::string_view name, int64_t columns, std::string_view params, std::string_view text,
                     std::string_view inputs, std::string_view emulated) {
  return fmt::format(
      "  static UC_DEVICE void {}(float (&d)[{}][4], {}) {{\n#if defined(__CUDA_ARCH__)\n"
      "    asm volatile(\"{{\\n.reg .pred p;\\nsetp.ne.b32 p, {};\\n}}\"\n"
      "                 : {}\n                 : {});\n"
      "#elif defined(UC_EMULATE)\n    {};\n#endif\n  }}\n",
      name, columns / 8, params, text, sums(columns), inputs, emulated);
}

}  // namespace

std::string group_instructions(const Attention& kernel, const AttentionTiles& tiles) {
  const std::string_view type = kernel.math == Math::bf16 ? "bf16" : "f16";
  const std::string_view element = info(kernel.q.dtype).cuda;
  const int64_t n = tiles.keys / 2;
  const int64_t m = tiles.value / 2;
  const std::string scores = fmt::format("%{}, 0;\\n{}, p, 1, 1, 0, 0", n + 2,
                                         instruction(type, tiles.keys, fmt::format("%{}, %{}", n, n + 1)));
  const std::string weights = fmt::format("{{%{},%{},%{},%{}}}", m, m + 1, m + 2, m + 3);
  const std::string values =
      fmt::format("%{}, 0;\\n{}, p, 1, 1, 1", m + 5,
                  instruction(type, tiles.value, fmt::format("{}, %{}", weights, m + 4)));
  return "#if defined(__CUDACC__) || defined(UC_EMULATE)\nstruct Instructions {\n" +
         function("scores", tiles.keys, "uint64_t a, uint64_t b, bool add", scores,
                  "\"l\"(a), \"l\"(b), \"r\"(int(add))",
                  fmt::format("uc_attention::scores_slowly<{}, {}>(d, a, b, add)", element, tiles.keys)) +
         function("values", tiles.value, "uint32_t const (&a)[4], uint64_t b", values,
                  "\"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"l\"(b), \"r\"(1)",
                  fmt::format("uc_attention::values_slowly<{}, {}>(d, a, b)", element, tiles.value)) +
         "};\n#else\nstruct Instructions;\n#endif\n";
}

}  // namespace uc
