#include "check/lower.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "catalog/scalar_builder.h"
#include "catalog/scale.h"
#include "check/attention_lowering.h"
#include "check/diags.h"
#include "check/epilogue_reduction.h"
#include "check/epilogue_rows.h"
#include "check/pieces.h"
#include "check/pointwise_conv.h"
#include "check/row_lowering.h"
#include "check/row_scope.h"
#include "check/scalar_lowering.h"
#include "check/used_band.h"
#include "ir/kernel_parts.h"

namespace uc {
namespace {

// What a reduction of the chain gives: the node whose elements meet.
struct Reduced {
  NodeId node;
  EpilogueReduction how;
};

class StepLowering {
 public:
  StepLowering(const Catalog& catalog, const Program& program, StepId id, DiagSink& diags)
      : catalog_(catalog),
        program_(program),
        step_(program[id]),
        main_(program[step_.main]),
        diags_(diags),
        rows_(catalog, program, step_) {
    launch_.step = id;
    launch_.phase = step_.phase;
  }

  std::optional<Launch> run() {
    if (RowLowering::fits(program_, step_))
      return rows_kernel() ? std::optional(std::move(launch_)) : std::nullopt;
    if (const Op* pending = without_kernel()) {
      say_not_emitted(diags_, *pending);
      if (main_.spec->lower == nullptr) return std::nullopt;
      launch_.emitted = false;
    }
    const bool built = main_.spec->lower != nullptr    ? kernel_row()
                       : main_.spec->pieces != nullptr ? pieces_kernel()
                                                       : map_kernel();
    if (!built || !apply_knobs() || !settle_math()) return std::nullopt;
    return std::move(launch_);
  }

 private:
  bool has_kernel(OpId id) const {
    const OpSpec& spec = *program_[id].spec;
    if (id == step_.main && spec.pieces != nullptr) return !spec.pieces(program_, main_).empty();
    return spec.is_view() || spec.is_pointwise() ||
           (id == step_.main && spec.lower != nullptr && spec.lower(program_, main_)) ||
           reduction(id).has_value() || rows_.holds(id);
  }

  // A reduction of the chain that the main operator's epilogue carries out; nothing more is computed after
  // it.
  std::optional<EpilogueReduction> reduction(OpId id) const {
    if (main_.spec->lower == nullptr || program_[id].spec->combine == nullptr) return std::nullopt;
    const auto kernel = main_.spec->lower(program_, main_);
    const auto* contraction = kernel ? std::get_if<Contraction>(&*kernel) : nullptr;
    if (contraction == nullptr || id == step_.main) return std::nullopt;
    return epilogue_reduction(program_, program_[id], *contraction, program_[main_.out[0]].shape);
  }

  // The first operator that no kernel kind holds: neither a scalar expression nor a main op that lowers.
  const Op* without_kernel() const {
    for (const OpId id : ops_of(step_)) {
      if (program_[id].spec->place == Place::inner) continue;  // its operator is named
      if (!has_kernel(id)) return &program_[id];
    }
    return nullptr;
  }

  bool rows_kernel() {
    auto rows = RowLowering(catalog_, program_, step_, diags_).run(last_values());
    if (!rows) return false;
    launch_.kernel = std::move(*rows);
    launch_.config = RowsConfig{};
    return apply_knobs();
  }

  // A row that knows its kernel: its epilogue is filled from the chain.
  bool kernel_row() {
    auto kernel = main_.spec->lower(program_, main_);
    if (!kernel) return false;
    launch_.kernel = std::move(*kernel);
    auto* contraction = std::get_if<Contraction>(&launch_.kernel);
    if (auto* convolution = std::get_if<Convolution>(&launch_.kernel)) return conv_epilogue(*convolution);
    if (auto* attention = std::get_if<Attention>(&launch_.kernel)) return attention_parts(*attention);
    if (contraction == nullptr) return true;
    launch_.config = ContractionConfig{};
    if (const auto need = epilogue_row(program_, step_))
      launch_.columns = need->extent == 0 ? -1 : need->extent;
    const Shape domain{contraction->batch(), contraction->m(), contraction->n()};
    Scalar& epilogue = contraction->epilogue;
    epilogue = Scalar{};
    // What no back end makes yet need not fit the epilogues that there are.
    const Op* row = launch_.emitted ? rows_.first() : nullptr;
    DiagSink unheard;
    ScalarLowering lowering(catalog_, program_, launch_.emitted && row == nullptr ? diags_ : unheard,
                            epilogue, program_[main_.out[0]].shape, domain, ScalarLowering::Places::forwards);
    ScalarBuilder builder(catalog_, epilogue, compute_type(contraction->accumulate));
    lowering.bind(main_.out[0], scaled_sums(*contraction, builder));
    const bool good = chain(lowering, reached({}));
    if (!launch_.emitted) return true;
    if (!good || !final_stores(lowering, last_values())) return row != nullptr && without_rows(*row);
    if (contraction->meet == 0) contraction->d_band = used_band(epilogue, contraction->m(), contraction->n());
    if (contraction->meet == 0 && !contraction->ends && stored_by_columns(*contraction))
      transpose(*contraction);
    return true;
  }

  // Something beside the row has no place in this epilogue: the step has a meaning, and two steps have
  // kernels.
  bool without_rows(const Op& row) {
    auto& kernel = std::get<Contraction>(launch_.kernel);
    kernel.epilogue = Scalar{};
    kernel.meet = 0;
    say_not_emitted(diags_, row);
    launch_.emitted = false;
    return true;
  }

  // Factors of operands that are the same along K are multiplied with after the sum.
  NodeId scaled_sums(Contraction& kernel, ScalarBuilder& builder) {
    NodeId out = builder.running();
    const auto apply = [&](std::optional<View>& scale, size_t along) {
      if (!scale || scale->shape[2] != 1) return;
      if (const Value& number = program_[scale->value]; number.kind == ValueKind::literal) {
        out = builder.mul(out, builder.constant(number.literal));
        scale.reset();
        return;
      }
      const int64_t extent = along == 1 ? kernel.m() : kernel.n();
      if (scale->shape[1] != 1 && scale->shape[1] != extent) return;
      View view = *scale;
      view.shape = {kernel.batch(), kernel.m(), kernel.n()};
      view.stride = {scale->shape[0] == 1 ? 0 : scale->stride[0], 0, 0};
      if (scale->shape[1] != 1) view.stride[along] = scale->stride[1];
      out = builder.mul(out, builder.tensor(view));
      scale.reset();
    };
    apply(kernel.a_scale, 1);
    apply(kernel.b_scale, 2);
    const auto in_blocks = [](const std::optional<View>& scale) { return scale && scale->shape[2] > 1; };
    if ((kernel.a_scale || kernel.b_scale) && !(in_blocks(kernel.a_scale) && in_blocks(kernel.b_scale))) {
      diags_
          .add(kinds::not_emitted, main_.span,
               fmt::format("`{}` of operands scaled like this", main_.spec->name))
          .help =
          "factors of both operands are the same along K, a number or one a row and a column, or both are "
          "of blocks along K";
      launch_.emitted = false;
      kernel.a_scale.reset();  // what reads kernels finds factors of both operands or of none
      kernel.b_scale.reset();
    }
    return out;
  }

  // The epilogue is filled in the order that the result has its dimensions in, and then in the kernel's.
  bool attention_parts(Attention& kernel) {
    launch_.config = AttentionConfig{};
    DiagSink unheard;
    if (launch_.emitted && !lower_scores(catalog_, program_, step_, diags_, kernel)) return false;
    const Shape& shape = program_[main_.out[0]].shape;
    kernel.epilogue = Scalar{};
    ScalarLowering lowering(catalog_, program_, launch_.emitted ? diags_ : unheard, kernel.epilogue, shape,
                            shape, ScalarLowering::Places::known);
    ScalarBuilder builder(catalog_, kernel.epilogue, DType::f32);
    lowering.bind(main_.out[0], builder.running());
    const bool good = chain(lowering, reached({}));
    if (!launch_.emitted) return true;
    if (!good || !final_stores(lowering, last_values())) return false;
    by_heads(kernel);
    return true;
  }

  // Filled as the program has it, channels behind the images, and then with the channels last.
  bool conv_epilogue(Convolution& kernel) {
    launch_.config = ContractionConfig{};
    if (const auto need = epilogue_row(program_, step_))
      launch_.columns = need->extent == 0 ? -1 : need->extent;
    Shape domain = kernel.out;
    std::rotate(domain.begin() + 1, domain.end() - 1, domain.end());
    Scalar& epilogue = kernel.epilogue;
    epilogue = Scalar{};
    DiagSink unheard;
    ScalarLowering lowering(catalog_, program_, launch_.emitted ? diags_ : unheard, epilogue,
                            program_[main_.out[0]].shape, domain);
    ScalarBuilder builder(catalog_, epilogue, compute_type(kernel.accumulate));
    lowering.bind(main_.out[0], builder.running());
    const bool good = chain(lowering, reached({}));
    if (launch_.emitted && (!good || !final_stores(lowering, last_values()))) return false;
    for (View& view : epilogue.views) {
      std::rotate(view.shape.begin() + 1, view.shape.begin() + 2, view.shape.end());
      std::rotate(view.stride.begin() + 1, view.stride.begin() + 2, view.stride.end());
    }
    const Knob* algorithm = step_.knob("algorithm");
    auto product = launch_.emitted && algorithm == nullptr ? pointwise_product(kernel) : std::nullopt;
    if (product) {
      if (stored_by_columns(*product)) transpose(*product);
      launch_.kernel = std::move(*product);
    }
    return true;
  }

  std::vector<ValueId> last_values() const {
    std::vector<ValueId> running = heads_of(program_, step_);
    for (const Step::Call& call : step_.chain) running = after_call(program_, call, running);
    return running;
  }

  // Every value that `ends` and the stores are made of; all of the step's when `ends` is empty.
  std::set<ValueId> reached(const std::vector<ValueId>& ends) const {
    std::set<ValueId> out(ends.begin(), ends.end());
    const std::vector<OpId> ops = ops_of(step_);
    for (size_t i = ops.size(); i-- > 0;) {
      const Op& op = program_[ops[i]];
      const bool separate = op.spec->is_pointwise() && op.out.size() > 1;
      for (size_t which = 0; which < op.out.size(); ++which) {
        if (ends.empty() || op.spec->stores) out.insert(op.out[which]);
        if (!out.contains(op.out[which])) continue;
        for (size_t k = 0; k < op.in.size(); ++k) {
          if (!separate || k == which) out.insert(op.in[k]);
        }
      }
    }
    return out;
  }

  // Up to the first operator that no kernel holds.
  bool chain(ScalarLowering& lowering, const std::set<ValueId>& wanted) {
    for (const Step::Call& call : step_.chain) {
      for (const OpId id : call.ops) {
        if (!has_kernel(id)) return true;
        if (const auto step = reduction(id)) {
          if (!reduce(lowering, program_[id], *step)) return false;
          continue;
        }
        if (after_reduction(program_[id])) {
          if (passes_on(program_[id])) continue;
          if (launch_.emitted) say_not_emitted(diags_, program_[id]);
          launch_.emitted = false;
          return true;
        }
        if (program_[id].spec->row_scalar != nullptr) {
          if (!rows_.lower(id, std::get<Contraction>(launch_.kernel), lowering)) return false;
          continue;
        }
        if (!rows_.goes_on(program_[id])) {
          if (launch_.emitted) say_not_emitted(diags_, program_[id]);
          launch_.emitted = false;
          return true;
        }
        if (lowering.op(id, wanted)) continue;
        launch_.emitted = launch_.emitted && !lowering.stopped();
        return lowering.stopped();
      }
    }
    return true;
  }

  bool reduce(ScalarLowering& lowering, const Op& op, const EpilogueReduction& how) {
    for (size_t i = 0; i < op.out.size(); ++i) {
      auto node = lowering.node_of(op.in[i], op);
      if (!node) return false;
      Scalar& epilogue = std::get<Contraction>(launch_.kernel).epilogue;
      ScalarBuilder builder(catalog_, epilogue, DType::f32);
      if (how.combined.factor != 1) node = builder.mul(*node, builder.constant(how.combined.factor));
      reduced_[op.out[i]] = {*node, how};
    }
    return true;
  }

  bool after_reduction(const Op& op) const {
    return std::ranges::any_of(op.in, [this](ValueId id) { return reduced_.contains(id); });
  }

  // A conversion of what was reduced is made when it is stored: its type is that of the result.
  bool passes_on(const Op& op) {
    if (op.spec->is_view() || op.in.size() != op.out.size()) return false;
    Scalar alone;
    ScalarBuilder builder(catalog_, alone, compute_type(program_[op.in[0]].dtype));
    const NodeId in = builder.running();
    const std::vector<NodeId> args{in};
    const Node made = alone.nodes[op.spec->scalar(builder, args, op.attrs).index()];
    const bool cast = made.kind == Node::Kind::cast ? made.args[0] == in : made.kind == Node::Kind::running;
    if (!cast) return false;
    for (size_t i = 0; i < op.in.size(); ++i) reduced_[op.out[i]] = reduced_.at(op.in[i]);
    return true;
  }

  void store_reduced(ValueId value, const Reduced& reduced) {
    auto& kernel = std::get<Contraction>(launch_.kernel);
    View view;
    view.value = program_[value].root;
    view.dtype = program_[value].dtype;
    view.shape = {kernel.batch(), kernel.m(), kernel.n()};
    view.stride = reduced.how.stride;
    view.offset = program_[value].offset;
    if (kernel.batch() == 1) view.stride[0] = 0;
    Scalar& epilogue = kernel.epilogue;
    epilogue.effects.push_back(
        {reduced.node, static_cast<uint32_t>(epilogue.views.size()), reduced.how.combined.how});
    epilogue.views.push_back(std::move(view));
  }

  bool final_stores(ScalarLowering& lowering, const std::vector<ValueId>& values) {
    for (const ValueId value : values) {
      if (rows_.once(value)) {
        if (!rows_.store(value, *lowering.result(value), std::get<Contraction>(launch_.kernel))) return false;
        continue;
      }
      if (const auto found = reduced_.find(value); found != reduced_.end()) {
        store_reduced(value, found->second);
        continue;
      }
      const auto node = lowering.result(value);
      if (!node || !lowering.store(value, *node, step_.span)) return false;
    }
    return true;
  }

  // The domain of a body over `shape`: cut where blocks of elements share a scale.
  Shape counted_in_blocks(const Shape& shape) const {
    for (const OpId id : ops_of(step_)) {
      std::vector<ValueId> values = program_[id].in;
      values.insert(values.end(), program_[id].out.begin(), program_[id].out.end());
      for (const ValueId value : values) {
        const ValueId scale = program_[value].scale;
        if (scale && program_[value].shape == shape && !broadcast(program_[scale].shape, shape))
          return in_blocks(shape, program_[scale].shape);
      }
    }
    return shape;
  }

  // Values of one shape in one body; an operator with a result an operand (`to(x, y, f16)`) has a body each.
  bool map_kernel() {
    const std::vector<ValueId> ends = last_values();
    std::vector<std::vector<ValueId>> groups;
    for (const ValueId end : ends) {
      const bool joins =
          !step_.heads.empty() && !groups.empty() && program_[groups.back()[0]].shape == program_[end].shape;
      if (joins) {
        groups.back().push_back(end);
      } else {
        groups.push_back({end});
      }
    }
    Map map;
    for (const std::vector<ValueId>& group : groups) {
      Map::Body body;
      const Shape& shape = program_[group[0]].shape;
      body.domain = counted_in_blocks(shape);
      ScalarLowering lowering(catalog_, program_, diags_, body.scalar, shape, body.domain,
                              ScalarLowering::Places::known);
      const std::set<ValueId> wanted = reached(groups.size() == 1 ? std::vector<ValueId>{} : group);
      for (const OpId id : step_.prologue) {
        if (!lowering.op(id, wanted)) return false;
      }
      if (!lowering.op(step_.main, wanted) || !chain(lowering, wanted) || !final_stores(lowering, group))
        return false;
      map.bodies.push_back(std::move(body));
    }
    launch_.kernel = std::move(map);
    launch_.config = MapConfig{};
    return true;
  }

  // A body for each box; what follows in the chain is computed in it.
  bool pieces_kernel() {
    const Shape& whole = program_[main_.out[0]].shape;
    Map map;
    for (const Piece& piece : main_.spec->pieces(program_, main_)) {
      Map::Body body;
      const auto node = piece_node(catalog_, program_, step_, piece, body.scalar, diags_);
      if (!node) return false;
      ScalarLowering lowering(catalog_, program_, diags_, body.scalar, whole, whole);
      lowering.bind(main_.out[0], *node);
      if (!chain(lowering, reached({})) || !final_stores(lowering, last_values())) return false;
      restrict_to(piece, body);
      map.bodies.push_back(std::move(body));
    }
    launch_.kernel = std::move(map);
    launch_.config = MapConfig{};
    return true;
  }

  bool apply_knobs() {
    bool good = true;
    for (const Knob& knob : step_.knobs) {
      const KnobSpec* spec = catalog_.knob(knob.name, *knob_op(program_, step_).spec);
      // What no back end emits is read, so that a misspelt setting is told, and left out of the config.
      Launch unused = launch_;
      const bool emitted = spec != nullptr && spec->emitted &&
                           (spec->not_emitted == nullptr || spec->not_emitted(knob).empty());
      if (spec != nullptr && spec->apply != nullptr && spec->apply(knob, emitted ? launch_ : unused))
        continue;
      auto& diag = diags_.add(kinds::knob_syntax, knob.span,
                              fmt::format("`.{}` does not take these settings", knob.name));
      diag.help = spec == nullptr ? "" : fmt::format("`.{}({})`", knob.name, spec->syntax);
      good = false;
    }
    return good;
  }

  // `.math(auto)` is the fastest way to multiply that the precision allows; an explicit one must be allowed.
  bool settle_math() {
    Math* math = math_of(launch_.kernel);
    if (math == nullptr) return true;
    const bool governed = std::any_of(main_.in.begin(), main_.in.end(), [this](ValueId id) {
      return program_[id].from_f32 && program_[id].dtype == DType::f32;
    });
    if (*math == Math::automatic) *math = fastest(operand_type_of(launch_.kernel), governed);
    const bool reduced = *math == Math::tf32;
    if (!reduced || !governed || program_.precision != Precision::strict) return true;
    const Knob* knob = step_.knob("math");
    diags_
        .add(kinds::precision_math, knob == nullptr ? step_.span : knob->span,
             "this multiplies f32 data as tf32, and the precision is `strict`")
        .help = "`precision tf32` in the header, if the problem allows that";
    return false;
  }

  Math fastest(DType type, bool governed) const {
    switch (type) {
      case DType::f16: return Math::f16;
      case DType::bf16: return Math::bf16;
      case DType::f64: return Math::f64;
      case DType::i8:
      case DType::u8: return Math::i8;
      case DType::f8e4m3:
      case DType::f8e5m2: return Math::f8;
      default: return governed && program_.precision == Precision::strict ? Math::f32 : Math::tf32;
    }
  }

  const Catalog& catalog_;
  const Program& program_;
  const Step& step_;
  const Op& main_;
  DiagSink& diags_;
  Launch launch_;
  std::map<ValueId, Reduced> reduced_;
  RowsOfChain rows_;
};

}  // namespace

std::vector<Launch> lower(const Catalog& catalog, const Program& program, DiagSink& diags) {
  std::vector<Launch> launches;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (!step.main || program[step.main].spec->is_view()) continue;
    if (auto launch = StepLowering(catalog, program, StepId(i), diags).run())
      launches.push_back(std::move(*launch));
  }
  return launches;
}

}  // namespace uc
