#include "compiler/fix.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

namespace uc {
namespace {

constexpr size_t kMostRounds = 20;  ///< fixes that bring others to light; texts of people need two or three

/// Errors by phase. A phase runs only when those before it found no error, and a statement with an error is
/// not looked at further, so that a fix may well bring others to light.
using Errors = std::array<size_t, 4>;

size_t phase_of(std::string_view id) {
  if (id.starts_with("UC10")) return 0;  // text and syntax
  if (id.starts_with("UC19")) return 2;  // no back end
  return id.starts_with("UC1") ? 1 : 3;  // meaning; the rule book
}

Errors errors_of(const std::vector<Diag>& diags) {
  Errors out{};
  for (const Diag& diag : diags) {
    if (diag.severity == Severity::error) ++out[phase_of(diag.id)];
  }
  return out;
}

using Edits = std::vector<const Diag*>;  ///< in source order, none over another

std::string replaced(std::string_view source, const Edits& edits) {
  std::string out;
  size_t at = 0;
  for (const Diag* edit : edits) {
    out += source.substr(at, edit->replaced().begin - at);
    out += edit->replacement;
    at = edit->replaced().end;
  }
  return out + std::string(source.substr(at));
}

bool before(const Diag* a, const Diag* b) { return a->replaced().begin < b->replaced().begin; }

bool apart(const Diag* a, const Diag* b) {
  const Span x = a->replaced();
  const Span y = b->replaced();
  // Two insertions at one place have no order.
  return (x.end <= y.begin || y.end <= x.begin) && x.begin != y.begin;
}

/// One pass over the findings of one text.
class Round {
 public:
  Round(const Catalog& catalog, std::string source, const CompileOptions& options, size_t& checks)
      : catalog_(catalog), source_(std::move(source)), options_(options), checks_(checks) {}

  /// The findings of the text that have a replacement, tried in groups of which none lies over another: those
  /// left over after a group are tried when nothing of it could be taken.
  void run(const std::vector<Diag>& diags) {
    errors_ = errors_of(diags);
    Edits left;
    for (const Diag& diag : diags) {
      const Span place = diag.replaced();
      if (!diag.replacement.empty() && place.begin <= place.end && place.end <= source_.size() &&
          source_.substr(place.begin, place.end - place.begin) != diag.replacement) {
        left.push_back(&diag);
      }
    }
    std::ranges::stable_sort(left, before);
    while (!left.empty() && taken_.empty() && checks_ < kMostFixChecks) {
      Edits group;
      Edits others;
      for (const Diag* edit : left)
        (group.empty() || apart(group.back(), edit) ? group : others).push_back(edit);
      attempt(group);
      left = std::move(others);
    }
  }

  const Edits& taken() const { return taken_; }
  std::string text() const { return replaced(source_, taken_); }

 private:
  /// All at once, else by halves: most texts need as many tries as they have faults that cannot be mended.
  void attempt(std::span<const Diag* const> edits) {
    if (edits.empty() || checks_ >= kMostFixChecks) return;
    Edits all = taken_;
    all.insert(all.end(), edits.begin(), edits.end());
    std::ranges::stable_sort(all, before);
    ++checks_;
    const auto after = check_source(catalog_, replaced(source_, all), options_).diags.sorted();
    if (passes(edits, all, after)) {
      taken_ = std::move(all);
      errors_ = errors_of(after);
    } else if (edits.size() > 1) {
      attempt(edits.first(edits.size() / 2));
      attempt(edits.subspan(edits.size() / 2));
    }
  }

  /// Where each edit and what it mends has come to, none of its rule's findings is left; and no phase before
  /// finds more than it did, nor the syntax ever.
  bool passes(std::span<const Diag* const> tried, const Edits& all, const std::vector<Diag>& after) const {
    for (const Diag* edit : tried) {
      const Span place = moved(*edit, all);
      const auto left = [&](const Diag& diag) {
        return diag.id == edit->id && diag.span.begin <= place.end && place.begin <= diag.span.end;
      };
      if (std::ranges::any_of(after, left)) return false;
    }
    size_t last = 0;
    for (const Diag* edit : tried) last = std::max(last, phase_of(edit->id));
    const Errors errors = errors_of(after);
    if (errors[0] > errors_[0]) return false;
    for (size_t phase = 0; phase < last; ++phase) {
      if (errors[phase] > errors_[phase]) return false;
    }
    return true;
  }

  /// The span of a finding and of its replacement, in the text that all edits make.
  static Span moved(const Diag& diag, const Edits& all) {
    int64_t shift_begin = 0;
    int64_t shift_end = 0;
    const uint32_t begin = std::min(diag.span.begin, diag.replaced().begin);
    const uint32_t end = std::max(diag.span.end, diag.replaced().end);
    for (const Diag* edit : all) {
      const Span at = edit->replaced();
      const int64_t longer = static_cast<int64_t>(edit->replacement.size()) - (at.end - at.begin);
      if (at.end <= begin && edit != &diag) shift_begin += longer;
      if (at.end <= end) shift_end += longer;
    }
    return {static_cast<uint32_t>(begin + shift_begin), static_cast<uint32_t>(end + shift_end)};
  }

  const Catalog& catalog_;
  std::string source_;
  const CompileOptions& options_;
  size_t& checks_;
  Errors errors_{};  ///< of the text with what is taken
  Edits taken_;
};

}  // namespace

Fixed fix_source(const Catalog& catalog, std::string_view source, const CompileOptions& options) {
  Fixed out;
  out.source = source;
  out.compiled = check_source(catalog, out.source, options);
  std::set<std::string> seen{out.source};
  for (size_t checks = 0; checks < kMostFixChecks && seen.size() <= kMostRounds;) {
    const std::vector<Diag> diags = out.compiled.diags.sorted();
    Round round(catalog, out.source, options, checks);
    round.run(diags);
    if (round.taken().empty()) {
      out.settled = checks < kMostFixChecks;
      return out;
    }
    std::string text = round.text();
    if (!seen.insert(text).second) return out;  // one rule's help is another's fault: the writer's choice
    for (const Diag* edit : round.taken()) out.applied.push_back(*edit);
    out.source = std::move(text);
    out.compiled = check_source(catalog, out.source, options);
  }
  out.settled = false;
  return out;
}

}  // namespace uc
