#pragma once
// Why: an operator is one row that knows its parameters, meaning and lowering, and never a back end.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "catalog/part.h"
#include "catalog/work_rule.h"
#include "diag/diag.h"
#include "ir/host_tensor.h"
#include "ir/kernel.h"
#include "ir/program.h"

namespace uc {

class Catalog;
class ScalarBuilder;
class ImportContext;
struct GraphOp;

enum class ParamKind : uint8_t {
  tensor,   ///< an expression; the first tensor is the running value in the fused form
  tensors,  ///< one or more expressions (variadic); by name, a list of them
  integer,
  number,
  boolean,
  integers,  ///< a list, or one integer; one of `words` too, where the row has some
  word,      ///< one of `words`
  dtype,
  layout,  ///< row, col, nhwc, ... (ir/layout.h)
  text,    ///< a string literal
  typed,   ///< f32[4, 8], or a list of such: attribute `name` is the types as words, `name_shape` the shapes
  expression  ///< over `it`, which the operator named by OpSpec::running makes; an operand, and the last one
};
/// Kinds whose arguments are operands of the op, not attributes.
constexpr bool is_operand(ParamKind kind) {
  return kind == ParamKind::tensor || kind == ParamKind::tensors || kind == ParamKind::expression;
}

struct ParamSpec {
  std::string_view name;
  ParamKind kind;
  std::string_view fallback = {};  ///< default as written; empty with `required` false means "absent"
  bool required = true;
  std::string_view words = {};  ///< "none|tanh"
  std::string_view summary = {};
};

/// Work of one op, by unit. FLOPs count a multiply-add as 2.
struct Work {
  double tensor_flops = 0;  ///< dense multiply-accumulate work (2 per MAC)
  double fma_ops = 0;       ///< scalar multiply-adds (instructions)
  double special_ops = 0;   ///< special-function instructions
  double integer_ops = 0;   ///< integer instructions that no implementation avoids (index arithmetic is none)
  std::optional<double> minimum_flops = {};  ///< of tensor_flops, what `reduced_by` leaves; absent: all
  const WorkRule* reduced_by = nullptr;
  /// What other algorithms than the direct one leave of tensor_flops, their transforms for nothing: no bound
  /// may be higher, and few kernels get near. Absent: as much as the minimum.
  std::optional<double> fast_flops = {};
  const WorkRule* fast_by = nullptr;
};

/// Where an op may stand.
enum class Place : uint8_t {
  inner = 0,  ///< in no text: what `it` means in another operator's expression
  step = 1,
  fused = 2,
  both = 3,
  view = 4
};

/// What of its first operand an operator needs before it knows one element of its result: softmax a row, a
/// group norm the columns of a group.
struct RowScope {
  std::vector<size_t> dims;  ///< dimensions of the operand that meet, ascending
  int64_t extent = 0;        ///< elements along the last of them that meet: its whole extent, or a group's
  bool whole = true;         ///< false: partial results of pieces combine into the whole (sum, max)
};

/// The elements that an operator over rows couples, as a kernel over rows has them.
struct RowDomain {
  Shape shape;               ///< what the operands broadcast to, and normalisations give
  Shape domain;              ///< the same elements in the same order: a group may be a dimension of its own
  std::vector<size_t> meet;  ///< dimensions of `domain` that meet in a row, ascending
  /// Operand i as it broadcasts to `shape`: [C, 1, 1] of a weight [C] over [N, C, H, W]. Empty: each as it
  /// is.
  std::vector<Shape> operands = {};
  /// Dimension `from` of operand 0 under a window, in `shape`: element x[result] * stride + x[tap] * dilation
  /// - before. Its other dimensions come first in `shape`, as they are.
  struct Window {
    size_t from, result, tap;
    int64_t stride, dilation, before;
  };
  std::vector<Window> windows = {};
};

/// A reduction as an epilogue carries it out: elements along RowScope::dims, each times `factor`, combine.
struct Combined {
  Combine how = Combine::sum;
  double factor = 1;  ///< 1/n of a mean
};

/// A box of the result of an operator that moves data. Its element r is element from + (r - start) * step of
/// an operand, or `value` where there is none; steps are 1, -1 or 0.
struct Piece {
  std::vector<int64_t> start, extent;  ///< a dimension of the result
  std::optional<size_t> operand = {};
  std::vector<int64_t> from = {}, step = {};  ///< a dimension of the operand, as many as of the result
  double value = 0;
};

/// What infer may ask and say. Spans: the op, one operand, or one attribute.
class InferContext {
 public:
  InferContext(const Program& program, Op& op, DiagSink& diags) : program_(program), op_(op), diags_(diags) {}
  const Program& program() const { return program_; }
  const Op& op() const { return op_; }
  const Value& in(size_t i) const { return program_[op_.in[i]]; }
  size_t count() const { return op_.in.size(); }
  Diag& error(const DiagKind& kind, std::string message) {
    return diags_.add(kind, op_.span, std::move(message));
  }
  /// Adds a result of row-major layout. A view says whose memory it reads.
  void result(DType dtype, Shape shape);
  void result(DType dtype, Shape shape, Strides stride);
  void view(size_t of, Shape shape, Strides stride, int64_t offset);
  /// The last result has the structure (lower, symmetric, ...) of an operand, which neither views nor results
  /// keep else.
  void keep_structure(size_t of) { results_.back().structure = in(of).structure; }
  /// What the last result stores counts times an operand (Value::scale).
  void scaled_by(size_t operand) { results_.back().scale = op_.in[operand]; }
  const std::vector<Value>& results() const { return results_; }

 private:
  const Program& program_;
  Op& op_;
  DiagSink& diags_;
  std::vector<Value> results_;
};

/// A captured operator that this row imports. `build` appends ops and returns false when this form is not
/// supported.
struct AtenImport {
  std::string_view target;  ///< "aten.gelu.default"
  bool (*build)(ImportContext&, const GraphOp&);
};

struct OpSpec {
  std::string_view name;
  std::string_view summary;
  std::string_view family;  ///< "contraction", "pointwise", "data", "view"
  Place place = Place::both;
  std::span<const ParamSpec> params;
  std::string_view infix = {};  ///< "+": printed as an operator in expressions
  /// Fused only (`store`): the result is written to memory under the next name on the left of the step, and
  /// the running value goes on unchanged, unrounded.
  bool stores = false;
  /// Each call gives other numbers (random ones): never prepared when weights are loaded.
  bool drawn = false;
  /// Operands have memory: what is computed inside the parentheses takes a step before (contractions).
  bool memory_operands = false;
  /// Operands with a scale may stand here: the kernel multiplies by it (ScalarLowering,
  /// Contraction::a_scale).
  bool scales = false;
  /// After `>>` the result may have another shape: it replaces the running value (reductions).
  bool reduces = false;
  /// Rows that couple elements and stand after `>>`: which. Null: the dimensions of attribute `dim`, the last
  /// one without it, in `groups` groups where there is such an attribute; partial results combine when
  /// `reduces` (check/row_scope.h).
  RowScope (*rows)(const Program&, const Op&) = nullptr;
  /// Reductions that combine elements one by one and in any order. Null, or nothing: not this one.
  std::optional<Combined> (*combine)(const Program&, const Op&) = nullptr;
  /// The operator of place `inner` that makes `it` of an expression parameter, out of this one's first
  /// operands and the attributes that both have.
  std::string_view running = {};
  /// The dimension of the result, from the end, that fused operands of one dimension run along: -1 (N of a
  /// gemm), -3 (channels of a two-dimensional convolution).
  int64_t columns = -1;
  /// Fused: an operand of one dimension runs along the main op's `columns` (`bias`, `mul`).
  bool along_columns = false;
  /// Result types. Returns false after reporting an error. Pointwise rows leave it null: broadcast and
  /// promotion.
  bool (*infer)(InferContext&) = nullptr;
  /// Pointwise meaning: the expression of the result over the operands. Gives reference, CUDA code and
  /// epilogue node.
  NodeId (*scalar)(ScalarBuilder&, std::span<const NodeId>, const Attrs&) = nullptr;
  /// Meaning of operators over rows (reductions, normalisations, losses) as an expression: a node each
  /// result, over the elements of `row_domain`, with ScalarBuilder::across for what meets. Gives the CUDA
  /// code and later the epilogue node; `reference` stays what it is judged by.
  std::vector<NodeId> (*row_scalar)(ScalarBuilder&, std::span<const NodeId>, const Program&,
                                    const Op&) = nullptr;
  /// Null: the first operand's elements, of which those along the dimensions of `rows` meet.
  RowDomain (*row_domain)(const Program&, const Op&) = nullptr;
  /// Meaning of rows without `scalar`: results from operands, computed as language.md says, not yet rounded.
  void (*reference)(const Program&, const Op&, std::span<const HostTensor* const> in,
                    std::span<HostTensor> out) = nullptr;
  /// The kernel that this op is the main op of; its epilogue still empty but for the running value. Null:
  /// views.
  std::optional<Kernel> (*lower)(const Program&, const Op&) = nullptr;
  /// Meaning of operators that move data: boxes that are the whole result, each a body of one launch. Empty:
  /// not of such boxes.
  std::vector<Piece> (*pieces)(const Program&, const Op&) = nullptr;
  Work (*work)(const Program&, const Op&) = nullptr;  ///< null: counted from `scalar`, or zero for views
  /// Part of operand `i` that a part of result `result` is made of; asked for the whole result too (windows
  /// with gaps between them, a table of which few rows are looked up). Null: pointwise rows need the same
  /// elements, of others the whole result needs all, and nothing is known of what a part of it needs.
  Part (*needs)(const Program&, const Op&, size_t i, size_t result, const Part& part) = nullptr;
  /// Of the first result: the FLOPs that a part takes of what structure leaves. Null: as large a share.
  double (*part_flops)(const Program&, const Op&, const Part& part) = nullptr;
  /// Share of its work that is needed of an operator whose results follow one from another (a recurrence),
  /// when these parts of its first result are read and nothing of the others. Null: as much as is read.
  double (*needed)(const Program&, const Op&, std::span<const Part> read) = nullptr;
  std::span<const AtenImport> aten = {};
  std::span<const std::string_view> examples = {};  ///< whole programs; tests parse, check and run them
  /// Pointwise result type when promotion is not the rule (comparisons give bool, exp of integers f32).
  enum class ResultType : uint8_t {
    promoted,
    promoted_floating,
    boolean,
    first,
    attr_dtype
  } result_type = ResultType::promoted;

  bool is_view() const { return place == Place::view; }
  bool is_pointwise() const { return scalar != nullptr; }
};

/// What the chain goes on with after `call`, when it had `running` before.
std::vector<ValueId> after_call(const Program& program, const Step::Call& call,
                                const std::vector<ValueId>& running);

/// Operands belong to the operand parameters in order, a variadic one taking all the rest, unless this
/// attribute lists the parameter (counted among the operand parameters) of every operand: for optional ones
/// left out.
inline constexpr std::string_view kGiven = "given";

/// The parameter that operand `index` of `op` belongs to, counted among the operand parameters.
size_t operand_param(const Op& op, size_t index);
/// The operands of parameter `name`, as indices into op.in: none when left out.
std::vector<size_t> operands(const Op& op, std::string_view name);
/// The operand of a parameter that takes one.
std::optional<size_t> operand(const Op& op, std::string_view name);
/// The attribute kGiven for operands of these parameters, or nothing when they fall in order anyway.
std::optional<AttrValue> given(const OpSpec& spec, const std::vector<size_t>& params);

}  // namespace uc
