// Elementary functions of one operand.
#include <array>

#include "catalog/infer.h"
#include "ops/activation_row.h"

namespace uc::ops {
namespace {

constexpr auto kSameType = OpSpec::ResultType::promoted;

NodeId square(ScalarBuilder& b, Nodes in, const Attrs&) { return b.mul(in[0], in[0]); }
// PyTorch squares a bool as a power: the result is i64.
bool infer_square(InferContext& context) {
  const Value& x = context.in(0);
  context.result(x.dtype == DType::boolean ? DType::i64 : x.dtype, x.shape, dense_like(x.shape, x.stride));
  return true;
}

NodeId reciprocal(ScalarBuilder& b, Nodes in, const Attrs&) { return b.div(b.constant(1.0), in[0]); }

constexpr AtenImport kSquareAten[] = {{"aten.square.default", import_plain<"square", 1>}};
constexpr AtenImport kSqrtAten[] = {{"aten.sqrt.default", import_plain<"sqrt", 1>}};
constexpr AtenImport kRsqrtAten[] = {{"aten.rsqrt.default", import_plain<"rsqrt", 1>}};
constexpr AtenImport kReciprocalAten[] = {{"aten.reciprocal.default", import_plain<"reciprocal", 1>}};
constexpr AtenImport kExpAten[] = {{"aten.exp.default", import_plain<"exp", 1>}};
constexpr AtenImport kExpm1Aten[] = {{"aten.expm1.default", import_plain<"expm1", 1>}};
constexpr AtenImport kLogAten[] = {{"aten.log.default", import_plain<"log", 1>}};
constexpr AtenImport kLog1pAten[] = {{"aten.log1p.default", import_plain<"log1p", 1>}};
constexpr AtenImport kAbsAten[] = {{"aten.abs.default", import_plain<"abs", 1>}};
constexpr AtenImport kErfAten[] = {{"aten.erf.default", import_plain<"erf", 1>}};
constexpr AtenImport kSinAten[] = {{"aten.sin.default", import_plain<"sin", 1>}};
constexpr AtenImport kCosAten[] = {{"aten.cos.default", import_plain<"cos", 1>}};
constexpr AtenImport kFloorAten[] = {{"aten.floor.default", import_plain<"floor", 1>}};

constexpr std::string_view kSquareExamples[] = {UC_STEP_EXAMPLE("square(x)"), UC_FUSED_EXAMPLE("square()")};
constexpr std::string_view kSqrtExamples[] = {UC_STEP_EXAMPLE("sqrt(x * x + 1)"),
                                              UC_FUSED_EXAMPLE("abs() >> sqrt()")};
constexpr std::string_view kRsqrtExamples[] = {UC_STEP_EXAMPLE("rsqrt(x * x + 1)"),
                                               UC_FUSED_EXAMPLE("square() >> add(1) >> rsqrt()")};
constexpr std::string_view kReciprocalExamples[] = {UC_STEP_EXAMPLE("reciprocal(x * x + 1)"),
                                                    UC_FUSED_EXAMPLE("square() >> add(1) >> reciprocal()")};
constexpr std::string_view kExpExamples[] = {UC_STEP_EXAMPLE("exp(x)"),
                                             UC_FUSED_EXAMPLE("mul(0.1) >> exp()")};
constexpr std::string_view kExpm1Examples[] = {UC_STEP_EXAMPLE("expm1(x)"),
                                               UC_FUSED_EXAMPLE("mul(0.1) >> expm1()")};
constexpr std::string_view kLogExamples[] = {UC_STEP_EXAMPLE("log(x * x + 1)"),
                                             UC_FUSED_EXAMPLE("square() >> add(1) >> log()")};
constexpr std::string_view kLog1pExamples[] = {UC_STEP_EXAMPLE("log1p(x * x)"),
                                               UC_FUSED_EXAMPLE("square() >> log1p()")};
constexpr std::string_view kAbsExamples[] = {UC_STEP_EXAMPLE("abs(x)"), UC_FUSED_EXAMPLE("abs()")};
constexpr std::string_view kErfExamples[] = {UC_STEP_EXAMPLE("erf(x)"), UC_FUSED_EXAMPLE("erf()")};
constexpr std::string_view kSinExamples[] = {UC_STEP_EXAMPLE("sin(x)"), UC_FUSED_EXAMPLE("sin()")};
constexpr std::string_view kCosExamples[] = {UC_STEP_EXAMPLE("cos(x)"), UC_FUSED_EXAMPLE("cos()")};
constexpr std::string_view kFloorExamples[] = {UC_STEP_EXAMPLE("floor(x)"), UC_FUSED_EXAMPLE("floor()")};

constexpr std::array kRows{
    row({"square", "x x", square, kSquareAten, kSquareExamples, kUnary, kSameType, infer_square}),
    row({"sqrt", "square root", primitive<"sqrt">, kSqrtAten, kSqrtExamples}),
    row({"rsqrt", "1 / sqrt(x)", primitive<"rsqrt">, kRsqrtAten, kRsqrtExamples}),
    row({"reciprocal", "1 / x", reciprocal, kReciprocalAten, kReciprocalExamples}),
    row({"exp", "e to the power x", primitive<"exp">, kExpAten, kExpExamples}),
    row({"expm1", "exp(x) - 1 without cancellation", primitive<"expm1">, kExpm1Aten, kExpm1Examples}),
    row({"log", "natural logarithm", primitive<"log">, kLogAten, kLogExamples}),
    row({"log1p", "log(1 + x) without cancellation", primitive<"log1p">, kLog1pAten, kLog1pExamples}),
    row({"abs", "|x|", primitive<"abs">, kAbsAten, kAbsExamples, kUnary, kSameType}),
    row({"erf", "error function", primitive<"erf">, kErfAten, kErfExamples}),
    row({"sin", "sine", primitive<"sin">, kSinAten, kSinExamples}),
    row({"cos", "cosine", primitive<"cos">, kCosAten, kCosExamples}),
    row({"floor", "largest whole number not above x", primitive<"floor">, kFloorAten, kFloorExamples, kUnary,
         kSameType}),
};

}  // namespace

std::span<const OpSpec> functions_rows() { return kRows; }

}  // namespace uc::ops
