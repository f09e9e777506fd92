#include "base/diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace uc {
namespace {

using Lines = std::vector<std::string_view>;

constexpr size_t kContext = 3;
constexpr int kMostChanges = 2000;  ///< lines removed and added that the shortest script is looked for

/// Lines with their line ends; the last may have none.
Lines lines_of(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

/// Lines [a, a + removed) of the old text became lines [b, b + added) of the new one.
struct Change {
  size_t a, removed, b, added;
};

size_t place(int index) { return static_cast<size_t>(index); }

/// The shortest edit script between the middles, each point a step of it; nothing when it is too long.
class Myers {
 public:
  Myers(const Lines& a, const Lines& b, size_t from, size_t a_end, size_t b_end)
      : a_(a), b_(b), from_(from), n_(static_cast<int>(a_end - from)), m_(static_cast<int>(b_end - from)) {}

  std::vector<Change> changes() {
    const int most = std::min(n_ + m_, kMostChanges);
    furthest_.assign(2 * static_cast<size_t>(most) + 3, 0);
    for (int d = 0; d <= most; ++d) {
      if (reach(d, most)) return trace(d, most);
    }
    return {{from_, static_cast<size_t>(n_), from_, static_cast<size_t>(m_)}};
  }

 private:
  int& at(int k, int most) { return furthest_[place(k + most + 1)]; }
  bool same(int x, int y) const {
    return a_[from_ + static_cast<size_t>(x)] == b_[from_ + static_cast<size_t>(y)];
  }

  /// All points that d edits reach; true when the end is among them.
  bool reach(int d, int most) {
    history_.emplace_back(furthest_.begin() + (most + 1 - d), furthest_.begin() + (most + 2 + d));
    for (int k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(k - 1, most) < at(k + 1, most));
      int x = down ? at(k + 1, most) : at(k - 1, most) + 1;
      while (x < n_ && x - k < m_ && same(x, x - k)) ++x;
      at(k, most) = x;
      if (x >= n_ && x - k >= m_) return true;
    }
    return false;
  }

  /// Back from the end: which edit led there.
  std::vector<Change> trace(int d, int) {
    std::vector<Change> out;
    int x = n_;
    int y = m_;
    for (; d > 0; --d) {
      const std::vector<int>& before =
          history_[static_cast<size_t>(d)];  // of diagonals -d..d after d-1 edits
      const auto value = [&](int k) { return before[place(k + d)]; };
      const int k = x - y;
      const bool down = k == -d || (k != d && value(k - 1) < value(k + 1));
      const int from_k = down ? k + 1 : k - 1;
      x = value(from_k);
      y = x - from_k;
      add(out, static_cast<size_t>(x), static_cast<size_t>(y), down);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  void add(std::vector<Change>& out, size_t x, size_t y, bool down) const {
    const Change one{from_ + x, down ? 0U : 1U, from_ + y, down ? 1U : 0U};
    if (!out.empty() && one.a + one.removed == out.back().a && one.b + one.added == out.back().b) {
      out.back() = {one.a, out.back().removed + one.removed, one.b, out.back().added + one.added};
    } else {
      out.push_back(one);
    }
  }

  const Lines& a_;
  const Lines& b_;
  size_t from_;
  int n_, m_;
  std::vector<int> furthest_;
  std::vector<std::vector<int>> history_;
};

std::string range(size_t begin, size_t count) {
  if (count == 1) return std::to_string(begin + 1);
  return fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

void put(std::string& out, char sign, std::string_view line) {
  out += sign;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

/// Changes [first, last) of which each is near the next, with the lines around them.
std::string hunk(const Lines& a, const Lines& b, std::span<const Change> changes) {
  const Change& first = changes.front();
  const Change& last = changes.back();
  const size_t lead = std::min(kContext, first.a);
  const size_t tail = std::min(kContext, a.size() - last.a - last.removed);
  const size_t a_end = last.a + last.removed + tail;
  std::string body;
  size_t at = first.a - lead;
  for (const Change& change : changes) {
    for (; at < change.a; ++at) put(body, ' ', a[at]);
    for (size_t i = 0; i < change.removed; ++i) put(body, '-', a[at++]);
    for (size_t i = 0; i < change.added; ++i) put(body, '+', b[change.b + i]);
  }
  for (; at < a_end; ++at) put(body, ' ', a[at]);
  const size_t b_begin = first.b - lead;
  const size_t b_end = last.b + last.added + tail;
  return fmt::format("@@ -{} +{} @@\n{}", range(first.a - lead, a_end - first.a + lead),
                     range(b_begin, b_end - b_begin), body);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name) {
  if (before == after) return {};
  const Lines a = lines_of(before);
  const Lines b = lines_of(after);
  size_t from = 0;
  while (from < std::min(a.size(), b.size()) && a[from] == b[from]) ++from;
  size_t a_end = a.size();
  size_t b_end = b.size();
  while (a_end > from && b_end > from && a[a_end - 1] == b[b_end - 1]) --a_end, --b_end;
  const std::vector<Change> changes = Myers(a, b, from, a_end, b_end).changes();
  std::string out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
  for (size_t i = 0; i < changes.size();) {
    size_t end = i + 1;
    while (end < changes.size() &&
           changes[end].a - changes[end - 1].a - changes[end - 1].removed <= 2 * kContext) {
      ++end;
    }
    out += hunk(a, b, std::span(changes).subspan(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace uc
