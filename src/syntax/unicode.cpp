#include "syntax/unicode.h"

#include <algorithm>
#include <array>
#include <span>

namespace uc::syntax {
namespace {

struct Sign {
  uint32_t code;
  std::string_view ascii;
};

constexpr std::array kSigns{
    Sign{0x00b7, "*"},  Sign{0x00bb, ">>"}, Sign{0x00d7, "*"},  Sign{0x00f7, "/"},  Sign{0x2010, "-"},
    Sign{0x2011, "-"},  Sign{0x2012, "-"},  Sign{0x2013, "-"},  Sign{0x2014, "-"},  Sign{0x2018, "\""},
    Sign{0x2019, "\""}, Sign{0x201c, "\""}, Sign{0x201d, "\""}, Sign{0x201e, "\""}, Sign{0x2026, ".."},
    Sign{0x2190, "="},  Sign{0x2192, ">>"}, Sign{0x2212, "-"},  Sign{0x2215, "/"},  Sign{0x2217, "*"},
    Sign{0x2219, "*"},  Sign{0x226b, ">>"}, Sign{0x22c5, "*"},  Sign{0x2260, "!="}, Sign{0x2264, "<="},
    Sign{0x2265, ">="}, Sign{0xff08, "("},  Sign{0xff09, ")"},  Sign{0xff0a, "*"},  Sign{0xff0b, "+"},
    Sign{0xff0c, ","},  Sign{0xff0d, "-"},  Sign{0xff0e, "."},  Sign{0xff0f, "/"},  Sign{0xff1a, ":"},
    Sign{0xff1c, "<"},  Sign{0xff1d, "="},  Sign{0xff1e, ">"},  Sign{0xff3b, "["},  Sign{0xff3d, "]"},
    Sign{0xff5b, "{"},  Sign{0xff5d, "}"}};

constexpr std::array kGreek{
    Sign{0x03b1, "alpha"}, Sign{0x03b2, "beta"},   Sign{0x03b3, "gamma"}, Sign{0x03b4, "delta"},
    Sign{0x03b5, "eps"},   Sign{0x03b6, "zeta"},   Sign{0x03b7, "eta"},   Sign{0x03b8, "theta"},
    Sign{0x03ba, "kappa"}, Sign{0x03bb, "lambda"}, Sign{0x03bc, "mu"},    Sign{0x03bd, "nu"},
    Sign{0x03be, "xi"},    Sign{0x03c0, "pi"},     Sign{0x03c1, "rho"},   Sign{0x03c3, "sigma"},
    Sign{0x03c4, "tau"},   Sign{0x03c6, "phi"},    Sign{0x03c7, "chi"},   Sign{0x03c8, "psi"},
    Sign{0x03c9, "omega"}, Sign{0x0394, "Delta"},  Sign{0x03a3, "Sigma"}, Sign{0x03a9, "Omega"}};

std::string_view find(std::span<const Sign> table, uint32_t code) {
  const auto found =
      std::find_if(table.begin(), table.end(), [code](const Sign& sign) { return sign.code == code; });
  return found == table.end() ? std::string_view() : found->ascii;
}

}  // namespace

CodePoint decode(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const uint32_t length = lead < 0x80         ? 1
                          : (lead >> 5) == 6  ? 2
                          : (lead >> 4) == 14 ? 3
                          : (lead >> 3) == 30 ? 4
                                              : 0;
  if (length == 0 || at + length > text.size()) return {lead, 1, false};
  uint32_t code = length == 1 ? lead : lead & (0xffU >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[at + k]);
    if ((next >> 6) != 2) return {lead, 1, false};
    code = (code << 6) | (next & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {lead, 1, false};
  return {code, length, true};
}

std::string_view ascii_sign(uint32_t code) { return find(kSigns, code); }
std::string_view greek_name(uint32_t code) { return find(kGreek, code); }

bool is_symbol(uint32_t code) {
  const bool latin = code >= 0xa1 && code <= 0xbf && code != 0xaa && code != 0xb5 && code != 0xba;
  const bool wide = (code >= 0xff01 && code <= 0xff0f) || (code >= 0xff1a && code <= 0xff20) ||
                    (code >= 0xff3b && code <= 0xff40);
  return latin || wide || (code >= 0x2010 && code <= 0x2bff) || (code >= 0x3001 && code <= 0x3004) ||
         code >= 0x1f000;
}

bool is_space(uint32_t code) {
  return code == 0xa0 || (code >= 0x2000 && code <= 0x200d) || code == 0x2028 || code == 0x2029 ||
         code == 0x202f || code == 0x205f || code == 0x3000 || code == 0xfeff;
}

}  // namespace uc::syntax
