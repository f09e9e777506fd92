#include "ops/detail/slices.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace uc::ops {
namespace {

// Offsets of every combination of indices along `dims`, in row-major order.
std::vector<size_t> offsets_along(const Shape& shape, const std::vector<size_t>& dims) {
  const Strides strides = row_major(shape);
  std::vector<size_t> out{0};
  for (const size_t dim : dims) {
    std::vector<size_t> next;
    next.reserve(out.size() * static_cast<size_t>(shape[dim]));
    for (const size_t base : out) {
      for (int64_t i = 0; i < shape[dim]; ++i) next.push_back(base + static_cast<size_t>(i * strides[dim]));
    }
    out = std::move(next);
  }
  return out;
}

}  // namespace

Slices::Slices(const Shape& shape, const std::vector<size_t>& dims) : offsets_(offsets_along(shape, dims)) {
  std::vector<size_t> others;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (std::ranges::find(dims, i) == dims.end()) others.push_back(i);
  }
  starts_ = offsets_along(shape, others);
}

double sum(Floats values) {
  constexpr size_t kPlain = 16;
  if (values.size() > kPlain) {
    const size_t half = values.size() / 2;
    return sum(values.first(half)) + sum(values.subspan(half));
  }
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

int64_t sum(Wholes values) {
  uint64_t total = 0;
  for (const int64_t value : values) total += static_cast<uint64_t>(value);
  return static_cast<int64_t>(total);
}

double largest(Floats values) {
  double most = -std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (std::isnan(value)) return value;
    most = std::max(most, value);
  }
  return most;
}

Floats SliceReader::floats(size_t slice) {
  doubles_.resize(slices_.length());
  std::visit(
      [&](const auto& data) {
        for (size_t k = 0; k < doubles_.size(); ++k)
          doubles_[k] = static_cast<double>(data[slices_.at(slice, k)]);
      },
      tensor_.data);
  return doubles_;
}

Wholes SliceReader::wholes(size_t slice) {
  integers_.resize(slices_.length());
  const auto& data = std::get<std::vector<int64_t>>(tensor_.data);
  for (size_t k = 0; k < integers_.size(); ++k) integers_[k] = data[slices_.at(slice, k)];
  return integers_;
}

}  // namespace uc::ops
