// Comparisons give 1 or 0 in the compute type; select takes any value but 0 as true.
#include <cstdint>
#include <functional>
#include <span>

#include "catalog/scalar_fn.h"

namespace uc::scalars {
namespace {

template <class T, template <class> class Compare>
T compare(T a, T b, T) {
  return Compare<T>{}(a, b) ? T{1} : T{0};
}

template <class T>
T choose(T condition, T yes, T no) {
  return condition != T{0} ? yes : no;
}

IntRange truth(IntRange, IntRange) { return {0, 1}; }

template <template <class> class Compare>
constexpr ScalarFn row(std::string_view name, std::string_view cuda) {
  return {
      name, 2,    compare<float, Compare>, compare<double, Compare>, compare<int64_t, Compare>, cuda, 1, 0,
      true, truth};
}

constexpr ScalarFn kRows[] = {
    row<std::less>("lt", "{0} < {1}"),
    row<std::less_equal>("le", "{0} <= {1}"),
    row<std::greater>("gt", "{0} > {1}"),
    row<std::greater_equal>("ge", "{0} >= {1}"),
    row<std::equal_to>("eq", "{0} == {1}"),
    row<std::not_equal_to>("ne", "{0} != {1}"),
    {"select", 3, choose<float>, choose<double>, choose<int64_t>, "uc_select({0}, {1}, {2})", 1, 0, false,
     nullptr, true},
};

}  // namespace

std::span<const ScalarFn> comparison_rows() { return kRows; }

}  // namespace uc::scalars
