#pragma once
// Why: everything that goes over dimensions sees a tensor as slices: the elements that one result comes from,
// whatever dimensions they lie along. Sums are taken here, once, so that all operators round alike.
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/number.h"
#include "ir/host_tensor.h"

namespace uc::ops {

using Floats = std::span<const double>;
using Wholes = std::span<const int64_t>;

/// A dense tensor of `shape` cut along `dims` (ascending): slices in the row-major order of the other
/// dimensions, the elements of each in the row-major order of `dims`.
class Slices {
 public:
  Slices(const Shape& shape, const std::vector<size_t>& dims);
  size_t count() const { return starts_.size(); }    ///< of slices
  size_t length() const { return offsets_.size(); }  ///< elements of each
  size_t at(size_t slice, size_t element) const { return starts_[slice] + offsets_[element]; }

 private:
  std::vector<size_t> starts_, offsets_;
};

/// Sums pairwise in f64, so that no order of summation matters at the precision of f32.
double sum(Floats values);
/// Wraps, as PyTorch does.
int64_t sum(Wholes values);
double largest(Floats values);  ///< NaN when one is

/// Rounds as arithmetic in the type of the tensor's elements does: to f32, unless it holds f64. What a
/// reduction gives is rounded so before anything else happens to it.
class Compute {
 public:
  explicit Compute(const HostTensor& tensor)
      : wide_(std::holds_alternative<std::vector<double>>(tensor.data)) {}
  double operator()(double value) const {
    return wide_ ? value : static_cast<double>(static_cast<float>(value));
  }

 private:
  bool wide_;
};

/// Element `i` written unrounded to 16 bits (a step's store does that), integers truncated.
template <class Value>
void put(HostTensor& tensor, size_t i, Value value) {
  std::visit([i, value](auto& data) { data[i] = element_as<std::decay_t<decltype(data[0])>>(value); },
             tensor.data);
}

/// The elements of one slice, as double of floating tensors.
class SliceReader {
 public:
  SliceReader(const HostTensor& tensor, const Slices& slices) : tensor_(tensor), slices_(slices) {}
  Floats floats(size_t slice);
  Wholes wholes(size_t slice);
  bool floating() const { return !std::holds_alternative<std::vector<int64_t>>(tensor_.data); }

 private:
  const HostTensor& tensor_;
  const Slices& slices_;
  std::vector<double> doubles_;
  std::vector<int64_t> integers_;
};

/// out[slice] = of(elements), `of` taking Floats or Wholes after the type of `x`.
template <class Of>
void over_slices(const HostTensor& x, const Slices& slices, HostTensor& out, const Of& of) {
  SliceReader reader(x, slices);
  for (size_t i = 0; i < slices.count(); ++i) {
    if (reader.floating()) {
      put(out, i, of(reader.floats(i)));
    } else {
      put(out, i, of(reader.wholes(i)));
    }
  }
}

}  // namespace uc::ops
