#include "language/sample.h"

#include <algorithm>
#include <array>
#include <map>

namespace uc::language {
namespace {

constexpr int kFar = 1000;

class Sampler {
 public:
  Sampler(const Grammar& grammar, std::mt19937_64& engine, const SampleOptions& options,
          std::set<const Part*>* used)
      : grammar_(grammar), engine_(engine), options_(options), used_(used) {
    for (const Rule& rule : grammar.rules) height_[rule.name] = kFar;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Rule& rule : grammar.rules) {
        const int height = least(rule.body) + 1;
        if (height >= height_[rule.name]) continue;
        height_[rule.name] = height;
        changed = true;
      }
    }
  }

  std::string run() {
    derive(grammar_.rules.front().body, false, 0);
    return std::move(out_);
  }

 private:
  bool chance(double share) { return std::uniform_real_distribution<>(0, 1)(engine_) < share; }
  size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(engine_); }

  /// Rules within rules that the shortest text of `part` takes.
  int least(const Part& part) const {
    switch (part.kind) {
      case Part::Kind::rule: return height_.at(part.text);
      case Part::Kind::choice: {
        int out = kFar;
        for (const Part& way : part.parts) out = std::min(out, least(way));
        return out;
      }
      case Part::Kind::optional:
      case Part::Kind::many: return 0;
      case Part::Kind::repeat:
        if (part.low == 0) return 0;
        break;
      default: break;
    }
    int out = 0;
    for (const Part& piece : part.parts) out = std::max(out, least(piece));
    return out;
  }

  void derive(const Part& part, bool inside, int depth) {
    if (used_ != nullptr) used_->insert(&part);
    switch (part.kind) {
      case Part::Kind::text: out_ += part.text; return;
      case Part::Kind::set: out_ += character(part.text); return;
      case Part::Kind::rule: return derive(grammar_.rule(part.text).body, inside, depth + 1);
      case Part::Kind::bracketed: return derive(part.parts[0], true, depth);
      case Part::Kind::sequence:
        for (const Part& piece : part.parts) derive(piece, inside, depth);
        return;
      case Part::Kind::choice: return derive(way(part, depth), inside, depth);
      case Part::Kind::optional:
        if (depth < options_.depth && chance(options_.go_on)) derive(part.parts[0], inside, depth);
        return;
      case Part::Kind::many: return times(part.parts[0], 0, depth == 0 ? 12 : 6, inside, depth);
      case Part::Kind::repeat:
        return times(part.parts[0], part.low, part.high < 0 ? part.low + 4 : part.high, inside, depth);
      case Part::Kind::space: return space(inside, depth);
    }
  }

  void times(const Part& part, int low, int high, bool inside, int depth) {
    for (int i = 0; i < low; ++i) derive(part, inside, depth);
    const double go_on = depth == 0 ? options_.next_statement : options_.go_on;
    for (int i = low; i < high && depth < options_.depth && chance(go_on); ++i) derive(part, inside, depth);
  }

  const Part& way(const Part& part, int depth) {
    if (depth < options_.depth) return part.parts[below(part.parts.size())];
    return *std::ranges::min_element(part.parts, {}, [this](const Part& piece) { return least(piece); });
  }

  void space(bool inside, int depth) {
    if (!chance(options_.odd_space)) {
      if (chance(0.5)) out_ += ' ';
    } else {
      derive(grammar_.rule(inside ? "gap" : "blanks").body, inside, depth);
    }
  }

  /// A character of a class; of one that begins with ^, letters, signs, and now and then one beyond ASCII.
  std::string character(const std::string& members) {
    if (members.front() == '^') {
      constexpr std::array<std::string_view, 10> kAny{"a", "Z", "0", " ",        "#",
                                                      "+", "(", ">", "\xce\xb1", "\xe2\x82\xac"};
      return std::string(kAny[below(kAny.size())]);
    }
    std::string all;
    for (size_t i = 0; i < members.size(); ++i) {
      const char c = members[i] == '\\' ? control(members[++i]) : members[i];
      if (i + 2 < members.size() && members[i + 1] == '-') {
        for (char d = c; d <= members[i + 2]; ++d) all += d;
        i += 2;
      } else {
        all += c;
      }
    }
    return {all[below(all.size())]};
  }

  static char control(char escape) {
    return escape == 't' ? '\t' : escape == 'r' ? '\r' : escape == 'n' ? '\n' : escape;
  }

  const Grammar& grammar_;
  std::mt19937_64& engine_;
  const SampleOptions& options_;
  std::set<const Part*>* used_;
  std::map<std::string, int> height_;
  std::string out_;
};

}  // namespace

std::string sample(const Grammar& grammar, std::mt19937_64& engine, const SampleOptions& options,
                   std::set<const Part*>* used) {
  return Sampler(grammar, engine, options, used).run();
}

}  // namespace uc::language
