#include "check/scalar_lowering.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "catalog/scale.h"
#include "check/diags.h"

namespace uc {

void say_not_emitted(DiagSink& diags, const Op& op) {
  const bool runs = op.spec->is_pointwise() || op.spec->reference != nullptr;
  diags.add(kinds::not_emitted, op.span, fmt::format("`{}` has no kernel yet", op.spec->name)).help =
      runs ? "it is checked, bounded and executed on the CPU; no compiled program can hold it"
           : "its source is compiled alone by `check --emit`; no compiled program can hold it";
}

ScalarLowering::ScalarLowering(const Catalog& catalog, const Program& program, DiagSink& diags,
                               Scalar& scalar, Shape logical, Shape domain, Places places)
    : catalog_(catalog),
      program_(program),
      diags_(diags),
      scalar_(scalar),
      logical_(std::move(logical)),
      domain_(std::move(domain)),
      places_(places) {}

bool ScalarLowering::op(OpId id, const std::set<ValueId>& wanted) {
  const Op& op = program_[id];
  if (op.spec->is_view()) return true;  // read through the value's own strides
  for (size_t which = 0; which < op.out.size(); ++which) {
    if (wanted.contains(op.out[which]) && !output(op, which)) return false;
  }
  return true;
}

bool ScalarLowering::store(ValueId value, NodeId node, Span span) {
  const auto view = view_of(value, span);
  if (!view) return false;
  scalar_.effects.push_back({node, static_cast<uint32_t>(scalar_.views.size())});
  scalar_.views.push_back(*view);
  return true;
}

std::optional<NodeId> ScalarLowering::result(ValueId value) const {
  const auto found = nodes_.find(value);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

bool ScalarLowering::reads_coordinates() const {
  return std::ranges::any_of(scalar_.nodes,
                             [](const Node& node) { return node.kind == Node::Kind::coordinate; });
}

bool ScalarLowering::output(const Op& op, size_t which) {
  const bool separate = op.out.size() > 1;
  std::vector<NodeId> args;
  for (size_t i = 0; i < op.in.size(); ++i) {
    if (separate && i != which) continue;
    const auto node = node_of(op.in[i], op);
    if (!node) return false;
    args.push_back(*node);
  }
  ScalarBuilder builder(catalog_, scalar_, compute_type_of(program_, op),
                        program_[op.out[separate ? which : 0]].shape, logical_);
  NodeId node = op.spec->scalar(builder, args, op.attrs);
  if (places_ == Places::unknown && reads_coordinates()) {
    say_not_emitted(diags_, op);
    stopped_ = true;
    return false;
  }
  bind(op.out[separate ? which : 0], node);
  return !op.spec->stores || store(op.out[0], node, op.span);
}

// What is stored with a scale counts times that.
std::optional<NodeId> ScalarLowering::node_of(ValueId id, const Op& user) {
  const auto stored = stored_node(id, user);
  const ValueId scale = program_[id].scale;
  if (!stored || !scale) return stored;
  const auto factor = stored_node(scale, user);
  ScalarBuilder builder(catalog_, scalar_, DType::f32);
  return factor ? std::optional(builder.mul(*stored, *factor)) : std::nullopt;
}

std::optional<NodeId> ScalarLowering::stored_node(ValueId id, const Op& user) {
  if (const auto found = nodes_.find(id); found != nodes_.end()) return found->second;
  const Value& value = program_[id];
  ScalarBuilder builder(
      catalog_, scalar_,
      value.kind == ValueKind::literal ? compute_type_of(program_, user) : compute_type(value.dtype));
  if (value.kind == ValueKind::literal) return builder.constant(value.literal);
  const auto view = view_of(id, user.span);
  if (!view) return std::nullopt;
  return builder.tensor(*view);
}

std::optional<View> ScalarLowering::view_of(ValueId id, Span span) {
  const Value& value = program_[id];
  View view;
  view.value = value.root;
  view.dtype = value.dtype;
  view.shape = domain_;
  view.offset = value.offset;
  const auto shape = broadcast(value.shape, logical_);
  // Epilogues of contractions read through TMA, which does not step backwards.
  const bool backwards =
      places_ == Places::forwards && std::ranges::any_of(value.stride, [](int64_t s) { return s < 0; });
  if (shape && *shape == logical_ && !backwards) {
    const auto strides =
        reshape_strides(logical_, broadcast_strides(value.shape, value.stride, logical_), domain_);
    if (strides) {
      view.stride = *strides;
      return view;
    }
  }
  // Factors of blocks, where the domain counts blocks and elements of one.
  if (!shape && scale_blocks(logical_, value.shape)) {
    const ScaleView factors = scale_view(logical_, value.shape, value.stride);
    if (const auto strides = reshape_strides(factors.shape, factors.stride, domain_)) {
      view.stride = *strides;
      return view;
    }
  }
  auto& diag = diags_.add(kinds::epilogue_view, span,
                          fmt::format("`{}` of {} cannot be read with one stride a dimension of {}",
                                      value.name, to_text(value.shape), to_text(domain_)));
  diag.help = fmt::format("make it dense in a step before: `t = to({}, row)`", value.name);
  return std::nullopt;
}

}  // namespace uc
