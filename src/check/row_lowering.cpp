#include "check/row_lowering.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "check/diags.h"
#include "check/row_scope.h"
#include "check/scalar_lowering.h"

namespace uc {
namespace {

bool has_coordinates(const Scalar& scalar, size_t from) {
  return std::any_of(scalar.nodes.begin() + static_cast<std::ptrdiff_t>(from), scalar.nodes.end(),
                     [](const Node& node) { return node.kind == Node::Kind::coordinate; });
}

// `shape` with extents of 1 at the dimensions that meet: what a reduction leaves.
Shape reduced(Shape shape, const std::vector<size_t>& meet) {
  for (const size_t d : meet) shape[d] = 1;
  return shape;
}

// Strides that say where elements are, whatever they say of extents of 1.
bool same_places(const Shape& shape, const Strides& a, const Strides& b) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && a[d] != b[d]) return false;
  }
  return true;
}

}  // namespace

RowLowering::RowLowering(const Catalog& catalog, const Program& program, const Step& step, DiagSink& diags)
    : catalog_(catalog), program_(program), step_(step), diags_(diags) {
  for (const OpId id : ops_of(step)) {
    for (const ValueId out : program[id].out) makers_[out] = &program[id];
  }
}

bool RowLowering::fits(const Program& program, const Step& step) {
  bool any = false;
  for (const OpId id : ops_of(step)) {
    const OpSpec& spec = *program[id].spec;
    if (spec.lower != nullptr) return false;
    any = any || spec.row_scalar != nullptr;
  }
  return any;
}

const Op* RowLowering::maker(ValueId value) const {
  const auto found = makers_.find(value);
  return found == makers_.end() || found->second->spec->is_view() ? nullptr : found->second;
}

void RowLowering::refuse(const Op& op) {
  DiagSink sink;
  say_not_emitted(sink, op);
  if (!said_) said_ = sink.diags().front();
}

std::optional<RowDomain> RowLowering::domain_of(const Op& op) const {
  if (op.spec->row_domain != nullptr) {
    RowDomain out = op.spec->row_domain(program_, op);
    return numel(out.domain) == numel(out.shape) ? std::optional(std::move(out)) : std::nullopt;
  }
  const auto scope = row_scope(program_, op);
  if (!scope) return std::nullopt;
  const Shape& shape = program_[op.in[0]].shape;
  return RowDomain{.shape = shape, .domain = shape, .meet = scope->dims};
}

// Of the operator's results: the domain's own, or what is left of it.
std::vector<RowLowering::Frame> RowLowering::frames_of(const Op& op) const {
  std::vector<Frame> out;
  for (const ValueId result : op.out) {
    const Shape& shape = program_[result].shape;
    const Shape kept = domain_.domain == domain_.shape ? reduced(domain_.shape, domain_.meet)
                                                       : Shape(domain_.shape.size(), 1);
    for (const Shape& seen : {domain_.shape, kept, Shape(domain_.shape.size(), 1)}) {
      const Frame frame{shape, seen};
      const bool known = std::ranges::find(out, frame) != out.end();
      if (!known && numel(shape) == numel(seen)) out.push_back(frame);
    }
  }
  return out;
}

std::optional<Rows> RowLowering::run(const std::vector<ValueId>& results) {
  for (const OpId id : ops_of(step_)) {
    const Op& op = program_[id];
    if (op.spec->row_scalar == nullptr) continue;
    auto domain = domain_of(op);
    if (!domain) return refuse(op), diags_.add(*said_), std::nullopt;
    if (frames_.empty()) {
      domain_ = std::move(*domain);
      rows_.domain = domain_.domain;
      rows_.meet = domain_.meet;
      frames_.push_back({domain_.shape, domain_.shape});
    } else if (domain->domain != domain_.domain || domain->meet != domain_.meet) {
      return refuse(op), diags_.add(*said_), std::nullopt;
    }
    for (Frame& frame : frames_of(op)) {
      if (std::ranges::find(frames_, frame) == frames_.end()) frames_.push_back(std::move(frame));
    }
  }
  for (const Step::Call& call : step_.chain) {
    for (const OpId id : call.ops) {
      if (program_[id].spec->stores && !store(program_[id].out[0])) return std::nullopt;
    }
  }
  for (const ValueId value : results) {
    if (!store(value)) return std::nullopt;
  }
  return std::move(rows_);
}

bool RowLowering::store(ValueId value) {
  const Value& to = program_[value];
  for (const Frame& frame : frames_) {
    if (to.shape != frame.logical) continue;
    Scalar before = rows_.body;
    const auto from = node(value, frame, *maker(value));
    const auto stride = from ? strides(to.shape, to.stride, frame) : std::nullopt;
    if (stride) {
      rows_.body.effects.push_back({*from, static_cast<uint32_t>(rows_.body.views.size())});
      rows_.body.views.push_back({to.root, to.dtype, rows_.domain, *stride, to.offset});
      said_.reset();  // of frames that did not fit
      return true;
    }
    rows_.body = std::move(before);
    nodes_.clear();
    row_nodes_.clear();
  }
  if (!said_) refuse(*maker(value));
  diags_.add(*said_);
  return false;
}

std::optional<Strides> RowLowering::strides(const Shape& shape, const Strides& from,
                                            const Frame& frame) const {
  const auto wide = broadcast(shape, frame.logical);
  if (!wide || *wide != frame.logical) return std::nullopt;
  if (frame.windowed) return windowed_strides(broadcast_strides(shape, from, frame.logical));
  const auto seen = reshape_strides(frame.logical, broadcast_strides(shape, from, frame.logical), frame.seen);
  if (!seen) return std::nullopt;
  return reshape_strides(domain_.shape, broadcast_strides(frame.seen, *seen, domain_.shape), domain_.domain);
}

// Along the dimensions of results and of taps, each of a dimension of the operand.
Strides RowLowering::windowed_strides(const Strides& own) const {
  Strides out(domain_.shape.size(), 0);
  for (size_t d = 0; d < domain_.windows.front().from; ++d) out[d] = own[d];
  for (const RowDomain::Window& each : domain_.windows) {
    out[each.result] = own[each.from] * each.stride;
    out[each.tap] = own[each.from] * each.dilation;
  }
  return out;
}

// Where the memory begins and ends, counted from the first element of the first window.
void RowLowering::limit(View& view, const Value& value, const Strides& own) const {
  const Value& root = program_[value.root];
  int64_t last = 0;
  for (size_t d = 0; d < root.shape.size(); ++d) last += (root.shape[d] - 1) * root.stride[d];
  for (const RowDomain::Window& each : domain_.windows) view.offset -= each.before * own[each.from];
  view.least = -view.offset;
  view.most = last - view.offset;
}

std::optional<NodeId> RowLowering::node(ValueId value, const Frame& frame, const Op& user) {
  const auto key = std::pair(value, frame);
  if (const auto found = nodes_.find(key); found != nodes_.end()) return found->second;
  const Op* op = maker(value);
  const auto out = op == nullptr ? memory(value, frame, user) : made(value, frame, *op);
  if (out) nodes_[key] = *out;
  return out;
}

std::optional<NodeId> RowLowering::made(ValueId value, const Frame& frame, const Op& op) {
  if (op.spec->is_pointwise()) return elementwise(value, frame, op);
  if (op.spec->row_scalar != nullptr) return of_row(value, frame, op);
  refuse(op);
  return std::nullopt;
}

std::optional<NodeId> RowLowering::elementwise(ValueId value, const Frame& frame, const Op& op) {
  const auto which = static_cast<size_t>(std::ranges::find(op.out, value) - op.out.begin());
  const bool separate = op.out.size() > 1;
  std::vector<NodeId> args;
  for (size_t i = 0; i < op.in.size(); ++i) {
    if (separate && i != which) continue;
    auto arg = node(op.in[i], frame, op);
    if (const ValueId scale = program_[op.in[i]].scale; arg && scale) {
      const auto factor = node(scale, frame, op);
      ScalarBuilder product(catalog_, rows_.body, DType::f32);
      arg = factor ? std::optional(product.mul(*arg, *factor)) : std::nullopt;
    }
    if (!arg) return std::nullopt;
    args.push_back(*arg);
  }
  const size_t before = rows_.body.nodes.size();
  ScalarBuilder builder(catalog_, rows_.body, compute_type_of(program_, op), program_[value].shape,
                        frame.logical);
  const NodeId out = op.spec->scalar(builder, args, op.attrs);
  // Places are counted in the whole domain.
  const bool whole = frame.seen == domain_.shape && !frame.windowed;
  if (whole || !has_coordinates(rows_.body, before)) return out;
  refuse(op);
  return std::nullopt;
}

// What met is the same all along a row, so any frame may use it that has the result's elements where the
// operator has them.
std::optional<NodeId> RowLowering::of_row(ValueId value, const Frame& frame, const Op& op) {
  const Shape& shape = program_[value].shape;
  const Strides places = row_major(shape);
  const auto here = strides(shape, places, frame);
  const bool agrees = here && std::ranges::any_of(frames_of(op), [&](const Frame& own) {
                        const auto there = shape == own.logical ? strides(shape, places, own) : std::nullopt;
                        return there && same_places(domain_.domain, *here, *there);
                      });
  if (!agrees) return refuse(op), std::nullopt;
  const auto which = static_cast<size_t>(std::ranges::find(op.out, value) - op.out.begin());
  if (const auto found = row_nodes_.find(&op); found != row_nodes_.end()) return found->second[which];
  const auto domain = domain_of(op);
  std::vector<NodeId> args;
  for (size_t i = 0; i < op.in.size(); ++i) {
    const Shape& own = program_[op.in[i]].shape;
    const bool given = i < domain->operands.size() && !domain->operands[i].empty();
    const Frame of = i == 0 && !domain->windows.empty() ? Frame{own, own, true}
                     : given                            ? Frame{own, domain->operands[i]}
                                                        : Frame{domain_.shape, domain_.shape};
    const auto arg = node(op.in[i], of, op);
    if (!arg) return std::nullopt;
    args.push_back(*arg);
  }
  ScalarBuilder builder(catalog_, rows_.body, compute_type_of(program_, op), domain_.shape, domain_.shape);
  const auto made = op.spec->row_scalar(builder, args, program_, op);
  row_nodes_[&op] = made;
  return made.at(which);
}

std::optional<NodeId> RowLowering::memory(ValueId id, const Frame& frame, const Op& user) {
  const Value& value = program_[id];
  const bool literal = value.kind == ValueKind::literal;
  ScalarBuilder builder(catalog_, rows_.body,
                        literal ? compute_type_of(program_, user) : compute_type(value.dtype));
  if (literal) return builder.constant(value.literal);
  const auto stride = strides(value.shape, value.stride, frame);
  if (stride) {
    View view{value.root, value.dtype, rows_.domain, *stride, value.offset};
    if (frame.windowed) limit(view, value, broadcast_strides(value.shape, value.stride, frame.logical));
    return builder.tensor(view);
  }
  if (said_) return std::nullopt;
  DiagSink sink;
  sink.add(kinds::epilogue_view, user.span,
           fmt::format("`{}` of {} cannot be read with one stride a dimension of {}", value.name,
                       to_text(value.shape), to_text(rows_.domain)))
      .help = fmt::format("make it dense in a step before: `t = to({}, row)`", value.name);
  said_ = sink.diags().front();
  return std::nullopt;
}

}  // namespace uc
