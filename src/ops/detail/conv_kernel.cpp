#include "ops/detail/conv_kernel.h"

#include <algorithm>

namespace uc::ops {
namespace {

// The second of rank + 2 dimensions goes behind the others.
View channels_last(const Value& value, size_t rank) {
  View view;
  view.value = value.root;
  view.dtype = value.dtype;
  view.offset = value.offset;
  view.shape = value.shape;
  view.stride = value.stride;
  if (view.shape.size() == rank + 1) {  // without a batch
    view.shape.insert(view.shape.begin(), 1);
    view.stride.insert(view.stride.begin(), 0);
  }
  std::rotate(view.shape.begin() + 1, view.shape.begin() + 2, view.shape.end());
  std::rotate(view.stride.begin() + 1, view.stride.begin() + 2, view.stride.end());
  return view;
}

}  // namespace

Convolution convolution_kernel(const Program& program, const Op& op, const Windows& windows, size_t rank,
                               bool transposed) {
  Convolution out;
  out.x = channels_last(program[op.in[0]], rank);
  out.w = channels_last(program[op.in[1]], rank);
  out.groups = op.attrs.get_int("groups", 1);
  out.transposed = transposed;
  const Shape& result = program[op.out[0]].shape;
  out.out = {out.x.shape[0]};
  for (size_t d = 0; d < rank; ++d) {
    const Window& window = windows[windows.size() - rank + d];
    out.stride.push_back(window.stride);
    out.padding.push_back(window.before);
    out.dilation.push_back(window.dilation);
    const int64_t least = (window.in - 1) * window.stride - window.before - window.after + window.span();
    out.output_padding.push_back(transposed ? window.out - least : 0);
    out.out.push_back(window.out);
  }
  out.out.push_back(result[result.size() - rank - 1]);
  const DType type = out.x.dtype;
  out.accumulate = type == DType::f64 ? DType::f64 : is_floating(type) ? DType::f32 : DType::i32;
  return out;
}

}  // namespace uc::ops
