#include "compiler/plain_gemm.h"

#include <algorithm>
#include <array>

#include "catalog/named_dims.h"
#include "check/lower.h"
#include "plan/choose.h"

namespace uc {
namespace {

// How cuBLASLt multiplies as exactly as a kernel of ours is allowed to: f32 data in f32 unless tf32 is what
// the program gets, which `precision` and `.math` decide.
std::string compute_of(const Contraction& gemm) {
  if (gemm.a.dtype == DType::f64) return "kCompute64F";
  return gemm.a.dtype == DType::f32 && gemm.math == Math::tf32 ? "kCompute32FFastTf32" : "kCompute32F";
}

bool multiplies_as_given(const Contraction& gemm) {
  if (gemm.a.dtype != gemm.b.dtype) return false;
  switch (gemm.a.dtype) {
    case DType::f16: return gemm.math == Math::f16 || gemm.math == Math::automatic;
    case DType::bf16: return gemm.math == Math::bf16 || gemm.math == Math::automatic;
    case DType::f32: return gemm.math != Math::f16 && gemm.math != Math::bf16 && gemm.math != Math::f8;
    case DType::f64: return true;
    default: return false;
  }
}

// The sum as it is, rounded to the result's type at most.
bool is_plain(const Scalar& epilogue, DType operands) {
  if (epilogue.effects.size() != 1 || epilogue.effects[0].combine != Combine::none) return false;
  const View& out = epilogue.views[epilogue.effects[0].view];
  const bool type = out.dtype == operands ||
                    (out.dtype == DType::f32 && (operands == DType::f16 || operands == DType::bf16));
  const Node* node = &epilogue.nodes[epilogue.effects[0].node.index()];
  if (node->kind == Node::Kind::cast && node->type == out.dtype)
    node = &epilogue.nodes[node->args[0].index()];
  return type && out.offset == 0 && node->kind == Node::Kind::running;
}

std::optional<size_t> place_of(const Program& program, const View& view) {
  std::vector<ValueId> tensors = program.inputs;
  tensors.insert(tensors.end(), program.params.begin(), program.params.end());
  const auto found = std::ranges::find(tensors, view.value);
  if (found == tensors.end() || view.offset != 0) return std::nullopt;
  return static_cast<size_t>(found - tensors.begin());
}

struct Product {
  size_t a = 0, b = 0;
  Contraction gemm;
};

std::optional<Product> product_at(const Catalog& catalog, const Program& program,
                                  const std::vector<int64_t>& sizes) {
  DiagSink diags;
  const Program at = at_sizes(catalog, program, sizes, diags);
  if (diags.has_errors()) return std::nullopt;
  std::vector<Launch> launches = lower(catalog, at, diags);
  if (diags.has_errors() || launches.size() != 1 || at.results.size() != 1) return std::nullopt;
  choose_math(catalog, at, launches, *catalog.device_of_target(at.target));
  const auto* gemm = std::get_if<Contraction>(&launches[0].kernel);
  if (gemm == nullptr || gemm->a_scale || !multiplies_as_given(*gemm) ||
      !is_plain(gemm->epilogue, gemm->a.dtype))
    return std::nullopt;
  const auto a = place_of(at, gemm->a);
  const auto b = place_of(at, gemm->b);
  if (!a || !b) return std::nullopt;
  return Product{*a, *b, *gemm};
}

}  // namespace

std::optional<PlainGemm> plain_gemm(const Catalog& catalog, const Program& program,
                                    const std::vector<SizeRange>& ranges,
                                    const std::vector<int64_t>& chosen) {
  const auto here = product_at(catalog, program, chosen);
  if (!here) return std::nullopt;
  const auto numbers = [&](const std::vector<int64_t>& sizes) -> std::optional<std::vector<SizedNumber>> {
    const auto there = product_at(catalog, program, sizes);
    if (!there || there->a != here->a || there->b != here->b) return std::nullopt;
    const Contraction& gemm = there->gemm;
    std::vector<SizedNumber> out{{gemm.batch()}, {gemm.m()}, {gemm.n()}, {gemm.k()}};
    const View& result = gemm.epilogue.views[gemm.epilogue.effects[0].view];
    for (const View* view : {&gemm.a, &gemm.b, &result}) {
      for (size_t i = 0; i < view->stride.size(); ++i)
        out.push_back(sized_stride(view->shape[i], view->stride[i]));
    }
    return out;
  };
  auto found = fit_formulas(ranges, chosen, numbers);
  if (!found || found->size() != 13) return std::nullopt;
  return PlainGemm{here->a, here->b, name(here->gemm.a.dtype), compute_of(here->gemm), std::move(*found)};
}

}  // namespace uc
