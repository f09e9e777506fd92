#include "ops/detail/attention_shape.h"

#include <utility>

namespace uc::ops {
namespace {

// One operand: batch, heads, positions, features.
struct Axes {
  int64_t batch, heads, positions, features;
};

Axes axes(const Shape& shape, bool bshd) {
  if (shape.size() == 3) return {shape[0], 1, shape[1], shape[2]};
  return bshd ? Axes{shape[0], shape[2], shape[1], shape[3]} : Axes{shape[0], shape[1], shape[2], shape[3]};
}

bool is_bshd(const Attrs& attrs) { return attrs.get_word("layout", "bhsd") == "bshd"; }

}  // namespace

Shape AttentionShape::result() const {
  if (!has_heads) return {batch, queries, value_dim};
  return bshd ? Shape{batch, queries, heads, value_dim} : Shape{batch, heads, queries, value_dim};
}

std::optional<AttentionShape> attention_shape(const Attrs& attrs, const Shape& q, const Shape& k,
                                              const Shape* v) {
  const size_t rank = q.size();
  if ((rank != 3 && rank != 4) || k.size() != rank || (v != nullptr && v->size() != rank))
    return std::nullopt;
  AttentionShape out;
  out.bshd = is_bshd(attrs);
  out.has_heads = rank == 4;
  const Axes qa = axes(q, out.bshd);
  const Axes ka = axes(k, out.bshd);
  const Axes va = v == nullptr ? ka : axes(*v, out.bshd);
  const bool fits = qa.batch == ka.batch && ka.batch == va.batch && qa.features == ka.features &&
                    ka.heads == va.heads && ka.positions == va.positions && qa.heads % ka.heads == 0;
  if (!fits) return std::nullopt;
  out.batch = qa.batch;
  out.heads = qa.heads;
  out.kv_heads = ka.heads;
  out.queries = qa.positions;
  out.keys = ka.positions;
  out.head_dim = qa.features;
  out.value_dim = va.features;
  return out;
}

AttentionShape attention_shape(const Program& program, const Op& op) {
  const auto v = operand(op, "v");
  return attention_shape(op.attrs, program[op.in[0]].shape, program[op.in[1]].shape,
                         v ? &program[op.in[*v]].shape : nullptr)
      .value_or(AttentionShape{});
}

View head_view(const Program& program, ValueId operand, bool bshd) {
  const Value& value = program[operand];
  const Axes a = axes(value.shape, bshd);
  const Strides& s = value.stride;
  View out;
  out.value = value.root;
  out.dtype = value.dtype;
  out.offset = value.offset;
  out.shape = {a.batch, a.heads, a.positions, a.features};
  out.stride = value.shape.size() == 3 ? Strides{s[0], 0, s[1], s[2]}
               : bshd                  ? Strides{s[0], s[2], s[1], s[3]}
                                       : s;
  return out;
}

HostTensor head_major(const HostTensor& x, const AttentionShape& shape, int64_t heads) {
  const Axes a = axes(x.shape, shape.bshd);
  const Strides dense = row_major(x.shape);
  const Strides four = x.shape.size() == 3 ? Strides{dense[0], 0, dense[1], dense[2]}
                       : shape.bshd        ? Strides{dense[0], dense[2], dense[1], dense[3]}
                                           : dense;
  const Shape repeated{a.batch, a.heads, heads / a.heads, a.positions, a.features};
  const Strides strides{four[0], four[1], 0, four[2], four[3]};
  HostTensor out = read_view(x, dense, {repeated, strides, 0});
  out.shape = {a.batch, heads, a.positions, a.features};
  return out;
}

void store_heads(const HostTensor& from, const AttentionShape& shape, HostTensor& out) {
  Strides strides = row_major(from.shape);
  Shape to = from.shape;
  if (shape.bshd) {
    std::swap(strides[1], strides[2]);
    std::swap(to[1], to[2]);
  }
  out.data = read_view(from, row_major(from.shape), {to, strides, 0}).data;
}

}  // namespace uc::ops
