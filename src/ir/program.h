#pragma once
// Why: a resolved program. It is a value with dense ids: rewrites copy and change it, `check` runs on the
// copy, and `syntax` prints it back as text. Nested expressions are flattened: every operator application is
// one Op.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "diag/diag.h"
#include "ir/attrs.h"
#include "ir/dims.h"
#include "ir/dtype.h"
#include "ir/scalar.h"
#include "ir/shape.h"

namespace uc {

struct OpSpec;  // catalog row
struct OpTag;
struct StepTag;
using OpId = Id<OpTag>;
using StepId = Id<StepTag>;

/// The least accurate form that data derived from an f32 input or param may take (language.md, "precision").
enum class Precision : uint8_t { strict, tf32, f16, bf16, f8 };
std::string_view name(Precision precision);
std::optional<Precision> parse_precision(std::string_view text);
/// True when data derived from f32 may be stored as `type` under `precision`.
bool allows(Precision precision, DType type);

enum class ValueKind : uint8_t { input, param, scalar, literal, computed };

/// What was seen in a tensor's data. Never promised, and no part of a program's text: import takes it from
/// the capture for speed of light and integrity to lean on by name.
struct Observed {
  std::vector<std::string> structure;  ///< "lower", "upper", "diag", "symmetric", as in Value::structure
  std::optional<double> constant;      ///< the value that all elements had
  std::optional<double> min, max;
};

/// A tensor (or number) of the program.
struct Value {
  std::string name;  ///< source name; empty for a value inside an expression
  ValueKind kind = ValueKind::computed;
  DType dtype =
      DType::f32;  ///< as stored; an unrounded value inside a step has the type it would be stored as
  Shape shape;
  Strides stride;               ///< of the memory that `root` names
  std::vector<SizeTerm> sizes;  ///< of a declaration with names of dimensions: `shape` as written; else empty
  ValueId root;                 ///< the value whose memory this one reads: itself unless a view
  int64_t offset = 0;           ///< elements from the start of root's memory
  OpId def;                     ///< computed only
  ValueId scale;                ///< f8: what is stored counts times this (catalog/scale.h); none: as it is
  std::string binding;          ///< param or input: the module's name for it ("gemm.weight"); may be empty
  std::vector<std::string> structure;  ///< "lower", "upper", "diag", "symmetric", "positive"
  std::optional<Observed> observed;    ///< what imported problems are given, and results
  bool from_f32 = false;        ///< derived from an f32 or f64 input or param, so `precision` governs it
  bool params_only = false;     ///< depends on params and literals alone, so it can be computed at load time
  double literal = 0.0;         ///< literal only
  bool literal_is_int = false;  ///< literal only: written without a point
  Span span;                    ///< where it is declared
};

/// One application of an operator. Inside a step, in order; `in` refers to values defined before.
struct Op {
  const OpSpec* spec = nullptr;
  std::vector<ValueId> in;
  std::vector<ValueId> out;
  Attrs attrs;
  StepId step;
  Span span;
};

struct Tile {
  std::vector<int64_t> extents;  ///< "128x256x64"
  friend bool operator==(const Tile&, const Tile&) = default;
};
using KnobValue = std::variant<int64_t, double, Tile, std::string>;  ///< a name is a string; "auto" is a name
std::string to_text(const KnobValue& value);

struct Knob {
  std::string name;
  std::vector<KnobValue> settings;
  Span span;  ///< of the whole `.name(...)` without the dot
  std::vector<Span> setting_spans;
};

/// When a step runs: once when the weights are loaded (`prepack`), or in every call.
enum class Phase : uint8_t { load, run };

/// One statement: one launch group, or views only. Ops in execution order: `prologue` (inside the
/// parentheses), `main`, then the chain (after `>>`).
struct Step {
  std::vector<OpId> prologue;
  OpId main;
  /// `map(e1, e2)` as the step's expression: the values of its expressions in order, the last made by `main`.
  /// Empty for one expression, whose values are main's.
  std::vector<ValueId> heads;
  /// One entry a call after `>>`; its ops in order, the last is the call itself, those before it are its
  /// arguments' expressions (or the body of `map(expr)`).
  struct Call {
    std::vector<OpId> ops;
    bool is_map = false;  ///< written as `map(expr)`
    Span span;
    /// Of a call that gives several values (`map(e1, e2)`, `sum(it, it * it, dim=1)`, or one applied to each
    /// of several): those values in order. Empty for one, which the last op makes.
    std::vector<ValueId> out = {};
  };
  std::vector<Call> chain;
  std::vector<Knob> knobs;
  std::vector<ValueId> results;  ///< one a name on the left; stores in chain order, then the final value
  Phase phase = Phase::run;
  Span span;

  const Knob* knob(std::string_view knob_name) const;
};

struct Program {
  std::string name;  ///< `name` header; may be empty
  std::string target = "sm_90a";
  Precision precision = Precision::strict;
  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Step> steps;      ///< execution order; load steps before the run steps that use them
  std::vector<ValueId> inputs;  ///< declaration order
  std::vector<ValueId> params;
  std::vector<ValueId> scalars;
  std::vector<ValueId> results;
  std::vector<Dim> dims;        ///< named dimensions, in declaration order
  std::vector<int64_t> chosen;  ///< the value of each that all shapes here are for

  const Value& operator[](ValueId id) const { return values[id.index()]; }
  Value& operator[](ValueId id) { return values[id.index()]; }
  const Op& operator[](OpId id) const { return ops[id.index()]; }
  Op& operator[](OpId id) { return ops[id.index()]; }
  const Step& operator[](StepId id) const { return steps[id.index()]; }
  Step& operator[](StepId id) { return steps[id.index()]; }
};

/// What the step's expression makes, before its chain: one value, or several.
std::vector<ValueId> heads_of(const Program& program, const Step& step);
/// All ops of a step in execution order.
std::vector<OpId> ops_of(const Step& step);

}  // namespace uc
