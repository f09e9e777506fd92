#include "exec/view.h"

#include <vector>

namespace uc {
namespace {

/// Calls visit(i, address) for every element in row-major order.
template <class Visit>
void each_address(const HostView& view, const Visit& visit) {
  const int64_t count = numel(view.shape);
  Shape index(view.shape.size(), 0);
  int64_t at = view.offset;
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<size_t>(i), static_cast<size_t>(at));
    for (size_t d = index.size(); d-- > 0;) {
      at += view.stride[d];
      if (++index[d] < view.shape[d]) break;
      at -= view.stride[d] * view.shape[d];
      index[d] = 0;
    }
  }
}

size_t memory_size(const HostView& view) {
  int64_t last = view.offset;
  for (size_t d = 0; d < view.shape.size(); ++d) last += (view.shape[d] - 1) * view.stride[d];
  return static_cast<size_t>(last) + 1;
}

}  // namespace

HostTensor read_view(const HostTensor& root, const Strides& root_stride, const HostView& view) {
  HostTensor out = HostTensor::zeros(root.dtype, view.shape);
  std::visit(
      [&](const auto& from) {
        using Values = std::decay_t<decltype(from)>;
        Values& to = std::get<Values>(out.data);
        if (root_stride == row_major(root.shape)) {
          each_address(view, [&](size_t i, size_t at) { to[i] = from[at]; });
          return;
        }
        const HostView whole{root.shape, root_stride, 0};
        Values memory(memory_size(whole));
        each_address(whole, [&](size_t i, size_t at) { memory[at] = from[i]; });
        each_address(view, [&](size_t i, size_t at) { to[i] = memory[at]; });
      },
      root.data);
  return out;
}

}  // namespace uc
