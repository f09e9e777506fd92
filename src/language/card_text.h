#pragma once
// Why: what people write for the card; the catalog gives the rest. Each example checks, each mistake is
// refused.
#include <span>
#include <string_view>

namespace uc::language {

struct CardExample {
  std::string_view what;
  std::string_view program;  ///< passes `check` as it stands
};
std::span<const CardExample> card_examples();

/// A mistake that writers make often. The whole program is `before` + `wrong` + `after`.
struct Mistake {
  std::string_view id;     ///< the only error of the wrong program
  std::string_view wrong;  ///< its line or lines
  std::string_view right;  ///< what stands there in the mended one, which has no error
  std::string_view before;
  std::string_view after;
  std::string_view note = {};  ///< a few words more; mostly none
};
std::span<const Mistake> card_mistakes();

}  // namespace uc::language
