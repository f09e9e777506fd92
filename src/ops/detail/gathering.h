#pragma once
// Why: rows that move data copy elements from computed places; types and addresses are handled here once.
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

#include "base/number.h"
#include "ir/host_tensor.h"

namespace uc::ops {

/// out[i] = from[place(i)] for every element, whatever the types; a negative place gives `otherwise`.
template <class Place>
void copy_from(const HostTensor& from, HostTensor& out, double otherwise, const Place& place) {
  std::visit(
      [&](const auto& source, auto& target) {
        using T = typename std::decay_t<decltype(target)>::value_type;
        for (size_t i = 0; i < target.size(); ++i) {
          const int64_t at = place(static_cast<int64_t>(i));
          target[i] = at < 0 ? element_as<T>(otherwise) : element_as<T>(source[static_cast<size_t>(at)]);
        }
      },
      from.data, out.data);
}

/// Element i of an index tensor.
inline int64_t index_at(const HostTensor& index, int64_t i) {
  return std::get<std::vector<int64_t>>(index.data)[static_cast<size_t>(i)];
}

/// What an index outside the tensor reads: NaN, or 0 among integers. (PyTorch stops; a kernel cannot.)
inline double outside(DType type) {
  return is_floating(type) ? std::numeric_limits<double>::quiet_NaN() : 0.0;
}

}  // namespace uc::ops
