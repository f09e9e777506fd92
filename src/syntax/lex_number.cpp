#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/text.h"
#include "syntax/diags.h"
#include "syntax/lexer_impl.h"

namespace uc::syntax {
namespace {

constexpr size_t kMostDigits = 18;

std::optional<uint64_t> parse_radix(std::string_view digits, int radix) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, radix);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  return whole && value < 1'000'000'000'000'000'000U ? std::optional(value) : std::nullopt;
}

// What the writer of `12_000`, `0x1F`, `1.5f` or `64X64` meant, or "".
std::string meant(std::string_view text) {
  if (text.size() > 64) return {};
  if (starts_with(text, "0x") || starts_with(text, "0X") || starts_with(text, "0b") ||
      starts_with(text, "0B")) {
    const auto value = parse_radix(text.substr(2), text[1] == 'x' || text[1] == 'X' ? 16 : 2);
    return value ? std::to_string(*value) : std::string();
  }
  std::string out(text);
  for (char& c : out) c = c == 'X' ? 'x' : c;
  out = replace_all(std::move(out), "_", "");
  while (!out.empty() && std::string_view("fFlLuU").find(out.back()) != std::string_view::npos)
    out.pop_back();
  bool good = !out.empty() && is_digit(out.front()) && is_digit(out.back()) && out.front() != '0';
  size_t points = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    points += out[i] == '.' ? 1 : 0;
    good = good && (is_digit(out[i]) || out[i] == 'x' || out[i] == '.') &&
           !(out[i] == 'x' && out[i + 1] == '0') && !(!is_digit(out[i]) && !is_digit(out[i + 1]));
  }
  const bool mixed = points > 1 || (points == 1 && out.find('x') != std::string::npos);
  return good && !mixed ? out : std::string();
}

std::string without_leading_zeros(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (at_start && text[i] == '0' && i + 1 < text.size() && is_digit(text[i + 1])) continue;
    out += text[i];
    at_start = text[i] == 'x';
    if (text[i] == '.' || text[i] == 'e') return out.append(text.substr(i + 1));
  }
  return out;
}

}  // namespace

int64_t integer_value(std::string_view token) {
  int64_t value = 1;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end == token.data() + token.size() ? value : 1;
}

double real_value(std::string_view token) {
  double value = 1;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end == token.data() + token.size() ? value : 1;
}

std::vector<int64_t> tile_value(std::string_view token) {
  std::vector<int64_t> out;
  for (const std::string_view part : split(token, 'x')) out.push_back(integer_value(part));
  return out;
}

void Lexer::advance_digits() {
  while (!done() && is_digit(peek())) ++at_;
}

bool Lexer::exponent_follows(size_t ahead) const {
  if (peek(ahead) != 'e' && peek(ahead) != 'E') return false;
  const size_t sign = peek(ahead + 1) == '+' || peek(ahead + 1) == '-' ? 1 : 0;
  return is_digit(peek(ahead + 1 + sign));
}

// True when there was a fraction or an exponent.
bool Lexer::fraction_and_exponent() {
  const size_t begin = at_;
  if (peek() == '.' && is_digit(peek(1))) {
    ++at_;
    advance_digits();
  }
  if (exponent_follows(0)) {
    at_ += is_digit(peek(1)) ? 1 : 2;
    advance_digits();
  }
  return at_ != begin;
}

bool Lexer::tile_follows() const { return peek() == 'x' && peek(1) >= '0' && peek(1) <= '9'; }

void Lexer::number() {
  const size_t begin = at_;
  advance_digits();
  Tok kind = Tok::integer;
  const bool zero = text(begin) == "0";
  while (!zero && tile_follows()) {
    ++at_;
    advance_digits();
    kind = Tok::tile;
  }
  if (kind == Tok::integer && fraction_and_exponent()) kind = Tok::real;
  const bool point =
      kind == Tok::integer && peek() == '.' && peek(1) != '.' && (!is_letter(peek(1)) || exponent_follows(1));
  if (word_follows() || (kind != Tok::integer && peek() == '.' && is_digit(peek(1)))) {
    running_on(begin);
  } else if (point) {
    ++at_;
    const std::string whole(text(begin));
    if (exponent_follows(0)) fraction_and_exponent();
    auto& diag = error(kinds::number_point, begin,
                       fmt::format("`{}` has no digit behind its point", shown(text(begin))));
    diag.replacement = whole + "0" + std::string(text(begin).substr(whole.size()));
    diag.help = fmt::format("`{}`", shown(diag.replacement));
    kind = Tok::real;
  } else {
    finish_number(kind, begin);
  }
  push(kind, begin);
}

void Lexer::running_on(size_t begin) {
  while (word_follows() || (peek() == '.' && is_digit(peek(1)))) at_ += decode(source_, at_).length;
  auto& diag = error(kinds::number_suffix, begin, fmt::format("`{}` is not a number", shown(text(begin))));
  diag.replacement = meant(text(begin));
  diag.help = !diag.replacement.empty() ? fmt::format("`{}`", shown(diag.replacement))
              : is_letter(text(begin).back())
                  ? "a number ends before the first letter; a name begins with a letter"
                  : "numbers are 12, 0.5, 1e-5; a tile is 128x256x64";
}

// `.5`; behind a name or bracket without a space it is a point first, which the parser will speak about.
void Lexer::leading_point() {
  const size_t begin = at_;
  if (!out_.tokens.empty() && out_.tokens.back().span.end == begin) {
    const Tok before = out_.tokens.back().kind;
    if (before == Tok::name || before == Tok::close_paren || before == Tok::close_bracket) {
      ++at_;
      return push(Tok::dot, begin);
    }
  }
  fraction_and_exponent();
  if (word_follows()) return running_on(begin), push(Tok::real, begin);
  auto& diag = error(kinds::number_point, begin,
                     fmt::format("`{}` has no digit before its point", shown(text(begin))));
  diag.replacement = "0" + std::string(text(begin));
  diag.help = fmt::format("`{}`", shown(diag.replacement));
  push(Tok::real, begin);
}

void Lexer::finish_number(Tok kind, size_t begin) {
  const std::string_view whole = text(begin);
  const std::string_view integer = whole.substr(0, whole.find_first_of(".eE"));
  const auto parts = split(kind == Tok::tile ? whole : integer, 'x');
  for (const std::string_view part : parts) {
    if (part.size() > 1 && part.front() == '0') {
      auto& diag = error(kinds::leading_zero, begin, fmt::format("`{}` has a leading zero", shown(whole)));
      diag.replacement = without_leading_zeros(whole);
      diag.help = fmt::format("`{}`", shown(diag.replacement));
      return;
    }
    if (kind == Tok::tile && part == "0") {
      error(kinds::number_suffix, begin, fmt::format("`{}` has an extent of 0", shown(whole))).help =
          "each extent of a tile is at least 1";
      return;
    }
    if (kind != Tok::real && part.size() > kMostDigits) {
      error(kinds::number_range, begin, fmt::format("this integer has {} digits", part.size())).help =
          "at most 18; a float may be larger: `1e20`";
      return;
    }
  }
  double value = 0;
  if (kind != Tok::real) return;
  if (std::from_chars(whole.data(), whole.data() + whole.size(), value).ec == std::errc() &&
      std::isfinite(value))
    return;
  error(kinds::number_range, begin, fmt::format("`{}` is not a finite f64", shown(whole))).help =
      "from 5e-324 to 1.797e308; infinity is `inf`";
}

}  // namespace uc::syntax
