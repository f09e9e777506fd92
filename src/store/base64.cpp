#include "store/base64.h"

#include <cstdint>

namespace uc {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t group = 0;
    const size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    for (size_t i = 0; i < 3; ++i)
      group = (group << 8U) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (size_t i = 0; i < 4; ++i) out += i <= count ? kDigits[(group >> (18 - 6 * i)) & 63U] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (size_t at = 0; at < text.size(); at += 4) {
    uint32_t group = 0;
    size_t digits = 0;
    for (size_t i = 0; i < 4; ++i) {
      const size_t digit = kDigits.find(text[at + i]);
      if (digit != std::string_view::npos && digits == i) ++digits;
      group = (group << 6U) | (digit == std::string_view::npos ? 0U : static_cast<uint32_t>(digit));
    }
    for (size_t i = 0; i + 1 < digits; ++i) out += static_cast<char>((group >> (16 - 8 * i)) & 255U);
  }
  return to_base64(out) == text ? std::optional(out) : std::nullopt;
}

}  // namespace uc
