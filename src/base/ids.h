#pragma once
// Why: dense ids that cannot be mixed up; programs are values, so ids rather than pointers.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace uc {

/// A dense index into the table of one kind of thing. Default: no thing.
template <class Tag>
struct Id {
  static constexpr uint32_t kNone = 0xffffffffU;
  uint32_t value = kNone;
  constexpr Id() = default;
  constexpr explicit Id(size_t v) : value(static_cast<uint32_t>(v)) {}
  constexpr explicit operator bool() const { return value != kNone; }
  constexpr size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace uc

template <class Tag>
struct std::hash<uc::Id<Tag>> {
  size_t operator()(uc::Id<Tag> id) const { return id.value; }
};
