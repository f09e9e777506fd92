// What an epilogue reads and writes: which visitor node carries each tensor, and what that node asks for.
#include <array>

#include "plan/epilogue_rows.h"
#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

std::string view_name(const Gemm& g, const View& view) {
  const std::string& name = g.context.program[view.value].name;
  return name.empty() ? "a tensor of the epilogue" : "`" + name + "`";
}

bool off(int64_t elements, DType type) { return elements * size_bytes(type) % 16 != 0; }

// Full tensors that vector accesses move: all but C and D.
std::vector<uint32_t> aside(const Scalar& epilogue, const EpilogueParts& parts) {
  std::vector<uint32_t> out;
  for (const uint32_t index : parts.loads) {
    if (parts.source != index) out.push_back(index);
  }
  for (const size_t effect : parts.aside) {
    if (epilogue.effects[effect].combine == Combine::none) out.push_back(epilogue.effects[effect].view);
  }
  return out;
}

std::optional<Finding> epilogue_layout(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const EpilogueParts parts = epilogue_parts(g->kernel.epilogue);
  for (const uint32_t index : parts.loads) {
    const View& view = g->kernel.epilogue.views[index];
    if (leaf_kind(view) != LeafKind::other) continue;
    return Finding{"",
                   fmt::format("{} is read as neither a row, a column, a number nor a row-major matrix",
                               view_name(*g, view)),
                   "",
                   fmt::format("make it dense in a step before: `t = to({}, {})`",
                               context.program[view.value].name, g->kernel.transposed ? "col" : "row"),
                   ""};
  }
  return std::nullopt;
}

bool row_major(const View& view) { return view.shape[2] == 1 || view.stride[2] == 1; }

// What is combined and what is one element a row: vectors, which TMA does not move.
bool is_vector(const Scalar& epilogue, const Effect& effect) {
  return effect.combine != Combine::none || once_a_row(epilogue, effect);
}

std::optional<Finding> result_layout(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const Scalar epilogue =
      without_rows(g->kernel.epilogue);  // what the pass over rows stores may lie anywhere
  for (const Effect& effect : epilogue.effects) {
    if (is_vector(epilogue, effect) || row_major(epilogue.views[effect.view])) continue;
    return Finding{"", "a result is not row major, and not all results are column major", "",
                   "store all in one layout, and change it in a step of its own: `z = to(y, col)`", ""};
  }
  return std::nullopt;
}

bool moved_in_epilogue(DType type) {
  return type != DType::f64 && type != DType::i64 && type != DType::boolean;
}

std::optional<Finding> epilogue_types(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  for (const View& view : g->kernel.epilogue.views) {
    if (moved_in_epilogue(view.dtype)) continue;
    return Finding{
        "",
        fmt::format("the epilogue reads or writes {}: {} is {}", name(view.dtype), view_name(*g, view),
                    name(view.dtype)),
        "", "f32, f16, bf16, f8, i8, u8 and i32 are emitted; convert in a step of its own with `to`", ""};
  }
  return std::nullopt;
}

std::optional<Finding> epilogue_tensors(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->kernel.epilogue.views.size() <= 12) return std::nullopt;
  return Finding{"", fmt::format("the epilogue reads and writes {} tensors", g->kernel.epilogue.views.size()),
                 "at most 12", "move the last operators after `>>` to a step of their own", ""};
}

// Rows of a result or of C, which TMA moves; N itself need not be a multiple.
std::optional<Finding> unaligned_rows(const Gemm& g, uint32_t index, std::string_view what) {
  const View& view = g.kernel.epilogue.views[index];
  const bool rows = off(view.stride[1], view.dtype) || off(view.offset, view.dtype);
  const bool matrices = view.shape[0] != 1 && off(view.stride[0], view.dtype);
  if (!rows && !matrices) return std::nullopt;
  const int64_t multiple = 16 / size_bytes(view.dtype);
  return Finding{
      "",
      fmt::format("{} of {} start every {} bytes, and TMA moves at multiples of 16",
                  rows ? "rows" : "matrices", what, view.stride[rows ? 1 : 0] * size_bytes(view.dtype)),
      fmt::format("not a multiple of {} elements", multiple), "", ""};
}

// The last result that is no reduction.
const Effect* last_result(const Scalar& epilogue) {
  const Effect* out = nullptr;
  for (const Effect& effect : epilogue.effects) {
    if (!is_vector(epilogue, effect)) out = &effect;
  }
  return out;
}

std::optional<Finding> result_stride(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const Scalar epilogue = without_rows(g->kernel.epilogue);
  const Effect* last = last_result(epilogue);
  if (last == nullptr) return std::nullopt;
  const View& view = epilogue.views[last->view];
  if (!row_major(view)) return std::nullopt;
  auto finding = unaligned_rows(*g, last->view, "the result");
  if (!finding) return std::nullopt;
  finding->help = fmt::format("pad the rows: `>> to({}, {}, pitch={})`", name(view.dtype),
                              g->kernel.transposed ? "col" : "row", 16 / size_bytes(view.dtype));
  if (size_bytes(view.dtype) == 2 && g->kernel.n() % 4 == 0) finding->help += ", or store f32: `>> to(f32)`";
  return finding;
}

std::optional<Finding> epilogue_stride(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const Scalar epilogue = without_rows(g->kernel.epilogue);
  std::vector<uint32_t> views = epilogue_parts(epilogue).loads;
  const Effect* last = last_result(epilogue);
  for (const Effect& effect : epilogue.effects) {
    if (!is_vector(epilogue, effect) && &effect != last) views.push_back(effect.view);
  }
  for (const uint32_t index : views) {
    const View& view = g->kernel.epilogue.views[index];
    if (leaf_kind(view) != LeafKind::full) continue;
    auto finding = unaligned_rows(*g, index, view_name(*g, view));
    if (!finding) continue;
    finding->help = fmt::format("pad the rows in a step before: `t = to({}, row, pitch={})`",
                                context.program[view.value].name, 16 / size_bytes(view.dtype));
    return finding;
  }
  return std::nullopt;
}

// Full tensors beside C and D go through vector loads and stores whose last vector of a row is not masked.
std::optional<Finding> aux_extent(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  for (const uint32_t index : aside(g->kernel.epilogue, epilogue_parts(g->kernel.epilogue))) {
    const View& view = g->kernel.epilogue.views[index];
    const int64_t vector = 16 / size_bytes(view.dtype);
    if (leaf_kind(view) != LeafKind::full || off(view.stride[1], view.dtype) || g->kernel.n() % vector == 0)
      continue;
    return Finding{"",
                   fmt::format("{} is moved in vectors of {} {}, and N is {}", view_name(*g, view), vector,
                               name(view.dtype), g->kernel.n()),
                   fmt::format("N is not a multiple of {}", vector),
                   "give it a step of its own after this one", ""};
  }
  return std::nullopt;
}

constexpr std::string_view kTensorsBad = R"(target sm_90a
input a: f16[512, 512]
input b: f16[512, 512]
input v0: f16[512]
input v1: f16[512]
input v2: f16[512]
input v3: f16[512]
input v4: f16[512]
input v5: f16[512]
input v6: f16[512]
input v7: f16[512]
input v8: f16[512]
input v9: f16[512]
input v10: f16[512]
input v11: f16[512]
c = gemm(a, b) >> add(v0) >> mul(v1) >> add(v2) >> mul(v3) >> add(v4) >> mul(v5)
     >> add(v6) >> mul(v7) >> add(v8) >> mul(v9) >> add(v10) >> mul(v11) >> to(f16)
return c
)";
constexpr std::string_view kTensorsGood = R"(target sm_90a
input a: f16[512, 512]
input b: f16[512, 512]
input v0: f16[512]
input v1: f16[512]
input v2: f16[512]
input v3: f16[512]
input v4: f16[512]
input v5: f16[512]
input v6: f16[512]
input v7: f16[512]
input v8: f16[512]
input v9: f16[512]
input v10: f16[512]
c = gemm(a, b) >> add(v0) >> mul(v1) >> add(v2) >> mul(v3) >> add(v4) >> mul(v5)
     >> add(v6) >> mul(v7) >> add(v8) >> mul(v9) >> add(v10) >> to(f16)
return c
)";

constexpr std::array<RuleSpec, 7> kRows{{
    {.id = "UC2401",
     .slug = "epilogue-layout",
     .severity = Severity::warning,
     .summary = "An epilogue reads a row, a column, a number, or a matrix that lies as its result does.",
     .rationale = "Other matrices are read element by element, each from a memory sector of its own.",
     .source =
         "CUTLASS 4.2 epilogue/fusion/sm90_visitor_load_tma_warpspecialized.hpp:543 (max_common_layout)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = epilogue_layout,
     .bad_example =
         "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\ninput r: f16[512, 512] @col\n"
         "c = gemm(a, b).backend(cutlass3) >> residual(r)\nreturn c\n",
     .good_example =
         "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\ninput r: f16[512, 512] @col\n"
         "t = to(r, row)\nc = gemm(a, b) >> residual(t)\nreturn c\n"},
    {.id = "UC2402",
     .slug = "result-layout",
     .severity = Severity::warning,
     .summary = "Results of a contraction are all row major, or all column major.",
     .rationale =
         "Results in columns are computed as the transpose, with the operands exchanged; one kernel has "
         "one orientation, and stores in the other element by element.",
     .source = "src/emit/cutlass3_epilogue.cpp: C and D are RowMajor",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = result_layout,
     .bad_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\nr, c = gemm(a, b) >> "
                    "store(f16) >> to(f16, col)\nreturn r, c\n",
     .good_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\nc = gemm(a, b) >> "
                     "to(f16, col)\nreturn c\n"},
    {.id = "UC2403",
     .slug = "epilogue-types",
     .summary = "An epilogue reads and writes f32, f16, bf16, f8, i8, u8 and i32.",
     .rationale = "f64 and i64 are wider than the accumulators; of bool there is no store yet.",
     .source = "src/emit/cutlass3_refuses.cpp",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::emitter,
     .check = epilogue_types,
     .bad_example =
         "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\nc = gemm(a, b).backend(cutlass3) >> "
         "to(i64)\nreturn c\n",
     .good_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\nc = gemm(a, b) >> "
                     "to(i32)\nreturn c\n"},
    {.id = "UC2404",
     .slug = "epilogue-tensors",
     .summary = "An epilogue reads and writes at most 12 tensors.",
     .rationale = "Kernel arguments hold 12 views; each row also takes shared memory.",
     .source = "src/emit/templates/uc_kernel_args.h",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::emitter,
     .check = epilogue_tensors,
     .bad_example = kTensorsBad,
     .good_example = kTensorsGood},
    {.id = "UC2405",
     .slug = "result-stride",
     .severity = Severity::warning,
     .summary = "Rows of the result start at multiples of 16 bytes.",
     .rationale =
         "TMA writes at 16-byte addresses and strides; what lies otherwise is stored element by element.",
     .source = "CUDA driver API, cuTensorMapEncodeTiled (globalStrides); NVIDIA/cutlass issue 2283",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = result_stride,
     .bad_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 1004] @strides(1008, 1)\nc = "
                    "gemm(a, b).backend(cutlass3) >> to(f16)\nreturn c\n",
     .good_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 1004] @strides(1008, 1)\nc = "
                     "gemm(a, b) >> to(f32)\nreturn c\n"},
    {.id = "UC2406",
     .slug = "epilogue-stride",
     .severity = Severity::warning,
     .summary = "Rows of matrices that an epilogue reads or stores beside the result start at multiples of "
                "16 bytes.",
     .rationale = "C comes through TMA and the others in 16-byte vectors; what lies otherwise is moved "
                  "element by element.",
     .source = "CUTLASS 4.2 epilogue/fusion/sm90_visitor_load_tma_warpspecialized.hpp:476; NVIDIA/cutlass "
               "issue 1250",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = epilogue_stride,
     .bad_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 1004] @strides(1008, 1)\ninput "
                    "r: f16[512, 1004]\n"
                    "c = gemm(a, b).backend(cutlass3) >> residual(r) >> to(f32)\nreturn c\n",
     .good_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 1004] @strides(1008, "
                     "1)\ninput r: f16[512, 1004]\n"
                     "t = to(r, row, pitch=8)\nc = gemm(a, b) >> residual(t) >> to(f32)\nreturn c\n"},
    {.id = "UC2407",
     .slug = "aux-extent",
     .severity = Severity::warning,
     .summary = "With matrices beside C and D in the epilogue, N is a multiple of their 16-byte vectors.",
     .rationale = "Only the first element of a vector is compared with N, and the last vector of a row would "
                  "reach into the next: they are moved element by element.",
     .source =
         "CUTLASS 4.2 epilogue/fusion/sm90_visitor_load_tma_warpspecialized.hpp:545 (copy_if by vectors)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = aux_extent,
     .bad_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 1004] @strides(1008, 1)\n"
                    "input r: f16[512, 1004] @strides(1008, 1)\ninput s: f16[512, 1004] @strides(1008, 1)\n"
                    "c = gemm(a, b).backend(cutlass3) >> residual(r) >> mul(s) >> to(f32)\nreturn c\n",
     .good_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 1008]\ninput r: f16[512, "
                     "1008]\ninput s: f16[512, 1008]\n"
                     "c = gemm(a, b) >> residual(r) >> mul(s) >> to(f32)\nreturn c\n"},
}};

}  // namespace

std::span<const RuleSpec> epilogues_rows();
std::span<const RuleSpec> epilogues_rows() { return kRows; }

}  // namespace uc::rules
