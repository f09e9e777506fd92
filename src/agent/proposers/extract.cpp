#include "agent/proposers/extract.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"

namespace uc {
namespace {

constexpr size_t kMostBytes = size_t{256} << 10U;  // of a program
constexpr int kMostLooks = 64;                     // brackets where JSON may begin

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Three or more of one of the two marks at the start of a line, at most three spaces in.
std::string_view fence_of(std::string_view line) {
  const size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos || start > 3) return {};
  const char mark = line[start];
  if (mark != '`' && mark != '~') return {};
  const size_t end = std::min(line.find_first_not_of(mark, start), line.size());
  return end - start >= 3 ? line.substr(start, end - start) : std::string_view();
}

bool closes(std::string_view line, std::string_view open) {
  const std::string_view fence = fence_of(line);
  return !fence.empty() && fence.front() == open.front() && fence.size() >= open.size() &&
         trim(line) == fence;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool begins_with_word(std::string_view line, std::string_view word) {
  return starts_with(line, word) && (line.size() == word.size() || !is_word(line[word.size()]));
}

constexpr std::array<std::string_view, 7> kFirstWords{"target", "precision", "input", "param",
                                                      "name",   "dim",       "scalar"};

bool is_declaration(std::string_view line) {
  return std::ranges::any_of(kFirstWords, [&](std::string_view word) {
    return begins_with_word(line, word) && line.size() > word.size();
  });
}

bool looks_like_program(std::string_view text) {
  bool declares = false, returns = false;
  for (const std::string_view line : split(text, '\n')) {
    declares = declares || is_declaration(trim(line));
    returns = returns || begins_with_word(trim(line), "return");
  }
  return declares && returns;
}

bool looks_like_cuda(std::string_view text) { return text.find("__global__") != std::string_view::npos; }

// From the first declaration to the end of the return that follows it.
std::string bare_program(std::string_view answer) {
  std::string out;
  bool inside = false, returned = false;
  for (const std::string_view line : split(answer, '\n')) {
    const std::string_view word = trim(line);
    if (!inside && !is_declaration(word)) continue;
    inside = true;
    // A return goes on after a comma.
    if (returned && !trim(out).ends_with(',')) break;
    out.append(line).append("\n");
    returned = returned || begins_with_word(word, "return");
  }
  return looks_like_program(out) ? out : std::string();
}

std::optional<std::string> program_in_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("program") || !json["program"].is_string()) return std::nullopt;
  return json["program"].get<std::string>();
}

Extracted checked(std::string text) {
  if (trim(text).empty()) return {{}, "the program is empty"};
  if (text.size() > kMostBytes)
    return {{}, fmt::format("the program has more than {} KB", kMostBytes >> 10U)};
  return {std::move(text), {}};
}

// The last block for which `wanted` says the most; nothing when it says 0 of all.
template <class Wanted>
const Fence* choose(const std::vector<Fence>& blocks, Wanted wanted) {
  const Fence* best = nullptr;
  int most = 0;
  for (const Fence& each : blocks) {
    const int points = wanted(each);
    if (points == 0 || points < most) continue;
    most = points;
    best = &each;
  }
  return best;
}

// Where the bracket at `open` closes, strings skipped; npos: nowhere.
size_t matching(std::string_view text, size_t open) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<Fence> fences(std::string_view answer) {
  std::vector<Fence> out;
  std::string open;  // the fence that is open; empty: none
  if (answer.ends_with('\n')) answer.remove_suffix(1);
  for (const std::string_view line : split(answer, '\n')) {
    if (open.empty()) {
      const std::string_view fence = fence_of(line);
      if (fence.empty()) continue;
      open = fence;
      const std::string_view info = trim(trim(line).substr(fence.size()));
      out.push_back({lower(info.substr(0, info.find_first_of(" \t{"))), {}, false});
    } else if (closes(line, open)) {
      out.back().closed = true;
      open.clear();
    } else {
      out.back().text.append(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line).append("\n");
    }
  }
  return out;
}

std::string without_thoughts(std::string_view answer) {
  constexpr std::array<std::string_view, 3> kTags{"think", "thinking", "reasoning"};
  std::string out(answer);
  for (const std::string_view tag : kTags) {
    const std::string open = fmt::format("<{}>", tag), close = fmt::format("</{}>", tag);
    // Some servers leave out the first mark.
    const size_t only = out.find(close);
    if (only != std::string::npos && out.rfind(open, only) == std::string::npos)
      out.erase(0, only + close.size());
    for (size_t from = out.find(open); from != std::string::npos; from = out.find(open, from)) {
      const size_t to = out.find(close, from);
      out.erase(from, to == std::string::npos ? to : to + close.size() - from);
    }
  }
  return out;
}

Extracted extract_program(std::string_view answer) {
  const std::string said = without_thoughts(answer);
  if (trim(said).empty()) return {{}, "the answer is empty"};
  if (auto program = program_in_json(said)) return checked(std::move(*program));
  const std::vector<Fence> blocks = fences(said);
  const Fence* found = choose(blocks, [](const Fence& each) {
    const bool marked = each.tag == "uc" || each.tag == "ucutlass" || each.tag == "µcutlass";
    return (looks_like_program(each.text) ? 2 : 0) + (marked ? 1 : 0);
  });
  if (found != nullptr && (found->closed || looks_like_program(found->text))) return checked(found->text);
  if (found != nullptr) return {{}, "the program is cut off"};
  if (std::string bare = bare_program(said); !bare.empty()) return checked(std::move(bare));
  return {{}, blocks.empty() ? "the answer holds no program" : "no block of the answer is a program"};
}

Extracted extract_cuda(std::string_view answer) {
  const std::string said = without_thoughts(answer);
  const std::vector<Fence> blocks = fences(said);
  const Fence* found = choose(blocks, [](const Fence& each) {
    const bool marked = each.tag == "cuda" || each.tag == "cu" || each.tag == "cpp" || each.tag == "c++";
    return looks_like_cuda(each.text) ? 1 + (marked ? 1 : 0) : 0;
  });
  if (found == nullptr) return {{}, "the answer holds no block of CUDA with a __global__ function"};
  if (!found->closed) return {{}, "the source is cut off"};
  return checked(found->text);
}

Extracted extract_json(std::string_view answer) {
  const std::string said = without_thoughts(answer);
  std::vector<std::string> texts;
  for (Fence& each : fences(said)) texts.push_back(std::move(each.text));
  std::ranges::reverse(texts);
  texts.push_back(said);
  int looks = 0;
  for (const std::string& text : texts) {
    for (size_t open = text.find_first_of("{["); open != std::string::npos && looks < kMostLooks;
         open = text.find_first_of("{[", open + 1)) {
      ++looks;
      const size_t end = matching(text, open);
      if (end == std::string::npos) continue;
      std::string inner = text.substr(open, end - open + 1);
      if (nlohmann::json::accept(inner)) return {std::move(inner), {}};
    }
  }
  return {{}, "the answer holds no JSON"};
}

}  // namespace uc
