#pragma once
// Why: which dimension of q, k and v is which depends on the layout and on whether there are heads; read in
// one place by inference, meaning and work.
#include <optional>

#include "catalog/op_spec.h"
#include "exec/view.h"

namespace uc::ops {

struct AttentionShape {
  int64_t batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0;
  int64_t head_dim = 0, value_dim = 0;
  bool bshd = false;      ///< positions before heads in memory
  bool has_heads = true;  ///< rank 4
  Shape scores() const { return {batch, heads, queries, keys}; }
  Shape result() const;
};

/// Of q and k, and v where the operator has one; nothing when they do not fit each other.
std::optional<AttentionShape> attention_shape(const Attrs& attrs, const Shape& q, const Shape& k,
                                              const Shape* v);
AttentionShape attention_shape(const Program& program, const Op& op);

/// An operand as a kernel reads it: [batch, heads, positions, features].
View head_view(const Program& program, ValueId operand, bool bshd);

/// An operand as [batch, heads, positions, features]; its heads repeated when fewer than `heads`.
HostTensor head_major(const HostTensor& x, const AttentionShape& shape, int64_t heads);

/// [batch, heads, queries, value_dim] written in the result's layout.
void store_heads(const HostTensor& from, const AttentionShape& shape, HostTensor& out);

}  // namespace uc::ops
