#include "ops/detail/cuda_signature.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace uc::ops {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The word that ends before `at`, with the points and digit separators that a number has inside: so much of
// it as any number has.
std::string_view word_before(std::string_view source, size_t at) {
  constexpr size_t kLongest = 128;
  size_t begin = at;
  while (begin > 0 && at - begin < kLongest &&
         (is_word(source[begin - 1]) || source[begin - 1] == '\'' || source[begin - 1] == '.'))
    --begin;
  return source.substr(begin, at - begin);
}

// The `'` of 1'000'000.
bool separates_digits(std::string_view source, size_t at) {
  const std::string_view word = word_before(source, at);
  const size_t digit = word.starts_with('.') ? 1 : 0;
  return word.size() > digit && std::isdigit(static_cast<unsigned char>(word[digit])) != 0 &&
         at + 1 < source.size() && is_word(source[at + 1]);
}

// Behind the literal that opens at `open`: R"delimiter(...)delimiter" has no escapes.
size_t end_of_literal(std::string_view source, size_t open) {
  constexpr std::array<std::string_view, 5> kRaw{"R", "u8R", "uR", "UR", "LR"};
  const bool raw = source[open] == '"' && std::ranges::find(kRaw, word_before(source, open)) != kRaw.end();
  const size_t bracket = raw ? source.find('(', open) : std::string_view::npos;
  if (bracket != std::string_view::npos) {
    const std::string close = fmt::format("){}\"", source.substr(open + 1, bracket - open - 1));
    const size_t found = source.find(close, bracket);
    return found == std::string_view::npos ? source.size() : found + close.size();
  }
  size_t end = open + 1;
  while (end < source.size() && source[end] != source[open]) end += source[end] == '\\' ? 2 : 1;
  return std::min(end + 1, source.size());
}

// Comments and the insides of literals become blanks; lengths stay.
std::string blanked(std::string_view source) {
  std::string out(source);
  const auto blank = [&out](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, out.size()); ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
  };
  for (size_t i = 0; i < source.size(); ++i) {
    size_t end = i;
    if (source.substr(i, 2) == "//") {
      end = std::min(source.find('\n', i), source.size());
    } else if (source.substr(i, 2) == "/*") {
      const size_t close = source.find("*/", i + 2);
      end = close == std::string_view::npos ? source.size() : close + 2;
    } else if (source[i] == '"' || (source[i] == '\'' && !separates_digits(source, i))) {
      end = end_of_literal(source, i);
      if (source.substr(i, 3) == "\"C\"") {  // `extern "C"` is looked for
        i = end - 1;
        continue;
      }
    }
    if (end > i) {
      blank(i, end);
      i = end - 1;
    }
  }
  return out;
}

struct Token {
  std::string_view text;
  size_t at;
};

std::vector<Token> tokens(std::string_view text, size_t from) {
  std::vector<Token> out;
  for (size_t i = from; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (is_word(text[i])) {
      while (end < text.size() && (is_word(text[end]) || text.substr(end, 2) == "::" ||
                                   (text[end] == ':' && text[end - 1] == ':')))
        ++end;
    } else if (text.substr(i, 3) == "\"C\"") {
      end = i + 3;
    }
    out.push_back({text.substr(i, end - i), i});
    i = end;
  }
  return out;
}

// `const float* __restrict__ x` from its tokens.
CudaParameter parameter(const std::vector<Token>& of) {
  constexpr std::array<std::string_view, 4> kIgnored{"__restrict__", "__restrict", "restrict",
                                                     "__grid_constant__"};
  CudaParameter out;
  out.at = of.front().at;
  std::vector<std::string_view> words;
  for (const Token& token : of) {
    if (token.text == "*") {
      ++out.pointers;
    } else if (token.text == "const") {
      out.is_const = out.is_const || out.pointers == 0;
    } else if (std::ranges::find(kIgnored, token.text) == kIgnored.end()) {
      words.push_back(token.text);
    }
  }
  if (words.size() > 1) {
    out.name = words.back();
    words.pop_back();
  }
  out.type = fmt::format("{}", fmt::join(words, " "));
  return out;
}

// The index behind the bracket that closes the one at `open`; all.size() without one.
size_t close_of(const std::vector<Token>& all, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < all.size(); ++i) {
    if (all[i].text == "(") ++depth;
    if (all[i].text == ")" && --depth == 0) return i;
  }
  return all.size();
}

CudaSignature problem(std::string text, size_t at) {
  CudaSignature out;
  out.problem = std::move(text);
  out.at = at;
  return out;
}

}  // namespace

CudaSignature parse_cuda_signature(std::string_view source) {
  const std::string text = blanked(source);
  const std::vector<Token> all = tokens(text, 0);
  const auto is_global = [](const Token& token) { return token.text == "__global__"; };
  const auto global = std::ranges::find_if(all, is_global);
  if (global == all.end()) return problem("the source has no `__global__` function", 0);
  if (const auto second = std::find_if(global + 1, all.end(), is_global); second != all.end())
    return problem("the source has a second `__global__` function", second->at);
  const auto index = static_cast<size_t>(global - all.begin());
  const bool external = index >= 2 && all[index - 1].text == "\"C\"" && all[index - 2].text == "extern";
  if (!external) return problem("the kernel is not `extern \"C\"`", global->at);
  size_t at = index + 1;
  while (at < all.size() && all[at].text != "void") ++at;  // attributes may stand before
  if (at + 1 < all.size() && all[at + 1].text == "__launch_bounds__") {
    at = close_of(all, at + 2);
  }
  if (at + 2 >= all.size() || all[at + 2].text != "(")
    return problem("`__global__` is not followed by `void NAME(...)`", global->at);
  CudaSignature out;
  out.name = all[at + 1].text;
  out.at = all[at + 1].at;
  const size_t close = close_of(all, at + 2);
  if (close == all.size()) return problem("the kernel's parameters do not end", all[at + 2].at);
  std::vector<Token> each;
  for (size_t i = at + 3; i <= close; ++i) {
    if (i < close && all[i].text != ",") {
      each.push_back(all[i]);
      continue;
    }
    if (!each.empty()) out.parameters.push_back(parameter(each));
    each.clear();
  }
  return out;
}

std::vector<std::string_view> cuda_spellings(DType type) {
  switch (type) {
    case DType::f64: return {"double"};
    case DType::f32: return {"float"};
    case DType::f16: return {"__half", "half"};
    case DType::bf16: return {"__nv_bfloat16", "nv_bfloat16"};
    case DType::f8e4m3: return {"__nv_fp8_e4m3"};
    case DType::f8e5m2: return {"__nv_fp8_e5m2"};
    case DType::i8: return {"int8_t", "std::int8_t", "signed char"};
    case DType::u8: return {"uint8_t", "std::uint8_t", "unsigned char"};
    case DType::i32: return {"int32_t", "std::int32_t", "int"};
    case DType::i64: return {"int64_t", "std::int64_t", "long long", "long"};
    case DType::boolean: return {"bool"};
  }
  return {};
}

}  // namespace uc::ops
