// Random programs, every rewrite, random orders: the meaning stays.
#include <algorithm>
#include <fmt/format.h>

#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

// A program of a contraction or two, tame pointwise steps and normalisations over [M, N] tensors, as an
// import or a person would write it.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {}

  std::string text() {
    const bool narrow = chance(4);
    out_ = fmt::format("target sm_90a\nprecision {}\n\n", pick({"tf32", "tf32", "f16"}));
    const std::string type = narrow ? "f16" : "f32";
    out_ += fmt::format(
        "input x: {0}[16, 24]\ninput r: {0}[16, 32]\ninput one: f32[16, 1]\ninput z: {0}[16, 24]\nparam W: "
        "{0}[32, 24]\nparam V: "
        "{0}[32, 32]\nparam b: f32[32]\ninput i: {0}[2, 3, 5, 6]\nparam C: {0}[4, 3, 3, 3]\nparam E: {0}[4, "
        "2, 2, 2]\ninput aq: {0}[1, 2, 12, 16]\ninput ak: {0}[1, 2, 20, 16]\n\n",
        type);
    full_ = {"r"};
    step(pick({"linear(x, W)", "linear(x, W) >> relu()", "gemm(x, transpose(W)) >> add(b)"}));
    const int steps = 2 + static_cast<int>(random_() % 7);
    for (int i = 0; i < steps; ++i)
      step(chance(4) && !narrow ? fmt::format("linear({}, V)", any_f32()) : pointwise());
    const bool images = chance(3);
    if (images) {
      out_ += fmt::format("c = conv2d(i, C, padding={})\nd = {}(c)\n", pick({"0", "1", "[1, 2]"}),
                          pick({"relu", "tanh", "sigmoid"}));
      out_ += fmt::format("e = conv_transpose2d(d, E, stride={})\n", pick({"1", "2"}));
    }
    const bool attends = chance(6);
    if (attends) out_ += "a = attention(aq, ak, ak)\n";
    out_ += fmt::format("return {}{}{}", images ? "e, " : "", attends ? "a, " : "", names_.back());
    if (names_.size() > 2 && chance(4)) out_ += ", " + names_[random_() % (names_.size() - 1)];
    return out_ + "\n";
  }

 private:
  bool chance(uint32_t one_in) { return random_() % one_in == 0; }
  std::string pick(std::vector<std::string> from) { return from[random_() % from.size()]; }
  std::string any() { return full_[full_.size() - 1 - random_() % std::min<size_t>(full_.size(), 3)]; }
  std::string any_f32() {  // the step before may be f16 only when everything is
    return full_.back();
  }

  void step(const std::string& expression) {
    const std::string name = fmt::format("v{}", names_.size());
    out_ += fmt::format("{} = {}\n", name, expression);
    names_.push_back(name);
    full_.push_back(name);
  }

  std::string pointwise() {
    const std::string a = any();
    const std::string b = any();
    if (chance(8)) return "linear(z, W)";
    if (chance(6))
      return pick({fmt::format("softmax({})", a), fmt::format("layer_norm({}) >> tanh()", a),
                   fmt::format("l2_normalize({})", a)});
    return pick({fmt::format("relu({})", a), fmt::format("tanh({})", a), fmt::format("sigmoid({})", a),
                 fmt::format("gelu({})", a), fmt::format("{} * sigmoid({})", a, a),
                 fmt::format("{} + {}", a, b), fmt::format("{} - {} * 0.5", a, b), fmt::format("{} * 2.0", a),
                 fmt::format("{} / 4.0", a), fmt::format("{} + b", a), fmt::format("b - {}", a),
                 fmt::format("one * {}", a), fmt::format("clamp({}, -1.0, 1.0)", a),
                 fmt::format("hardtanh({})", a), fmt::format("{} * 0.5 + {}", a, a),
                 fmt::format("minimum({}, {})", a, b), fmt::format("silu({}) >> mul(2.0) >> mul(0.25)", a),
                 fmt::format("relu({}) >> map(it * it - {})", a, b), fmt::format("{} * 1.0", a)});
  }

  std::mt19937 random_;
  std::string out_;
  std::vector<std::string> names_, full_;
};

struct Allowance {
  double exact = 0, algebraic = 2e-5, precision = 0.03;
  double of(Claim claim) const {
    return claim == Claim::exact ? exact : claim == Claim::algebraic ? algebraic : precision;
  }
};

// One step of a random walk: any site of any row. Nothing when no row finds one.
std::optional<std::pair<const RewriteSpec*, Site>> any_site(const Program& of, const RewriteContext& at,
                                                            std::mt19937& random) {
  std::vector<std::pair<const RewriteSpec*, Site>> sites;
  for (const RewriteSpec* each : catalog().rewrites()) {
    if (each->knobs_only && random() % 8 != 0) continue;
    for (Site& site : each->find(of, at)) sites.emplace_back(each, std::move(site));
  }
  if (sites.empty()) return std::nullopt;
  return sites[random() % sites.size()];
}

TEST(Meaning, StaysUnderRandomWalks) {
  std::map<std::string_view, int> used;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    Program now = program(RandomProgram(seed).text());
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    const RewriteContext at = context(seed % 5 == 0 ? Precision::bf16 : Precision::f16);
    for (int length = 0; length < 10; ++length) {
      const auto chosen = any_site(now, at, random);
      if (!chosen) break;
      const auto& [rewrite, site] = *chosen;
      const Program next = settle(rewrite->apply(now, site, at));
      const double apart = distance(run(next, seed), run(now, seed));
      Allowance allowance;
      if (at.allowed == Precision::bf16) allowance.precision *= 8;  // three bits of significand fewer
      // Other operands are rounded to the multiplier's 11 bits than before; in strict precision these rules
      // are held to f32's rounding (simplify_test.cpp).
      const bool rounds_others = rewrite->simplifies || rewrite->id == "attention-as-products";
      if (rounds_others) allowance.algebraic = allowance.precision;
      EXPECT_LE(apart, allowance.of(rewrite->claim))
          << "seed " << seed << ", " << rewrite->id << ": " << site.what << "\n"
          << print(catalog(), now) << "\nbecame\n"
          << print(catalog(), next);
      if (::testing::Test::HasFailure()) return;
      ++used[rewrite->id];
      now = next;
    }
  }
  for (const RewriteSpec* each : catalog().rewrites()) {
    // Rules that simplify have programs of their own (simplify_test.cpp), triangles too
    // (skipped_zeros_test.cpp).
    const bool rare =
        each->id == "use-tf32" || each->id == "k-major" || each->id == "skip-zeros" || each->simplifies;
    EXPECT_GE(used[each->id], rare ? 0 : 3) << each->id << " was hardly tried";
  }
}

// Twins of other sizes take the same rewrites at the same places: what the loop relies on to try meaning at
// reduced sizes.
TEST(Meaning, SitesAreTheSameAtOtherSizes) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::string small = RandomProgram(seed).text();
    std::string large = small;
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"[16, 24]", "[160, 96]"},
                                   {"[16, 32]", "[160, 128]"},
                                   {"[16, 1]", "[160, 1]"},
                                   {"[32, 24]", "[128, 96]"},
                                   {"[32, 32]", "[128, 128]"},
                                   {"[32]", "[128]"}}) {
      for (size_t at = large.find(from); at != std::string::npos; at = large.find(from))
        large.replace(at, from.size(), to);
    }
    Program a = program(small);
    Program b = program(large);
    for (int length = 0; length < 8; ++length) {
      std::vector<std::pair<const RewriteSpec*, Site>> sites;
      for (const RewriteSpec* each : catalog().rewrites()) {
        if (each->knobs_only) continue;
        const auto left = each->find(a, context(Precision::f16));
        const auto right = each->find(b, context(Precision::f16));
        ASSERT_EQ(left.size(), right.size()) << each->id << "\n" << print(catalog(), a);
        for (const Site& site : left) sites.emplace_back(each, site);
      }
      if (sites.empty()) break;
      const auto& [rewrite, site] = sites[random() % sites.size()];
      a = settle(rewrite->apply(a, site, context(Precision::f16)));
      b = settle(rewrite->apply(b, site, context(Precision::f16)));
      ASSERT_EQ(a.steps.size(), b.steps.size());
    }
  }
}

}  // namespace
}  // namespace uc::rewrites
