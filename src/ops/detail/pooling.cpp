#include "ops/detail/pooling.h"

#include <cmath>
#include <limits>

#include "base/number.h"

namespace uc::ops {
namespace {

// Calls visit(element of the result, ranges of its dimensions, start of its channel in x) for every element.
template <class Visit>
void each_element(int64_t channels, const std::array<int64_t, 3>& inside, const PoolRanges& ranges,
                  const Visit& visit) {
  const int64_t channel_size = inside[0] * inside[1] * inside[2];
  size_t at = 0;
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (const PoolRange& r0 : ranges[0]) {
      for (const PoolRange& r1 : ranges[1]) {
        for (const PoolRange& r2 : ranges[2]) visit(at++, std::array{r0, r1, r2}, channel * channel_size);
      }
    }
  }
}

template <class T, class Visit>
void each_input(const std::vector<T>& x, const std::array<int64_t, 3>& inside,
                const std::array<PoolRange, 3>& r, int64_t channel, const Visit& visit) {
  for (int64_t i = r[0].first; i < r[0].end; i += r[0].step) {
    for (int64_t j = r[1].first; j < r[1].end; j += r[1].step) {
      for (int64_t k = r[2].first; k < r[2].end; k += r[2].step)
        visit(x[static_cast<size_t>(channel + (i * inside[1] + j) * inside[2] + k)]);
    }
  }
}

int64_t channels_of(const HostTensor& out, const PoolRanges& ranges) {
  return out.count() / static_cast<int64_t>(ranges[0].size() * ranges[1].size() * ranges[2].size());
}

template <class T>
constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

}  // namespace

void pool_max(const HostTensor& x, const std::array<int64_t, 3>& inside, const PoolRanges& ranges,
              HostTensor& out) {
  std::visit(
      [&](const auto& from) {
        using Values = std::decay_t<decltype(from)>;
        using T = typename Values::value_type;
        Values& to = std::get<Values>(out.data);
        each_element(channels_of(out, ranges), inside, ranges,
                     [&](size_t at, const std::array<PoolRange, 3>& r, int64_t channel) {
                       T most = lowest<T>();
                       each_input(from, inside, r, channel, [&most](T value) {
                         if (value > most || value != value) most = value;
                       });
                       to[at] = most;
                     });
      },
      x.data);
}

void pool_mean(const HostTensor& x, const std::array<int64_t, 3>& inside, const PoolRanges& ranges,
               bool padded, int64_t divisor, HostTensor& out) {
  std::visit(
      [&](const auto& from) {
        using Values = std::decay_t<decltype(from)>;
        using T = typename Values::value_type;
        Values& to = std::get<Values>(out.data);
        each_element(channels_of(out, ranges), inside, ranges,
                     [&](size_t at, const std::array<PoolRange, 3>& r, int64_t channel) {
                       double sum = 0;
                       int64_t count = 0;
                       each_input(from, inside, r, channel, [&](T value) {
                         sum += static_cast<double>(value);
                         ++count;
                       });
                       const int64_t with_padding = r[0].padded * r[1].padded * r[2].padded;
                       const int64_t over = divisor != 0 ? divisor : padded ? with_padding : count;
                       to[at] = element_as<T>(sum / static_cast<double>(over));
                     });
      },
      x.data);
}

}  // namespace uc::ops
