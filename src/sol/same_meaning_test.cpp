// Two programs that mean the same have the same bound, however they are written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "sol/sol.h"
#include "syntax/parser.h"

namespace uc {
namespace {

double bound_of(const std::string& steps) {
  static const Catalog catalog = builtin_catalog();
  const std::string source =
      "target sm_90a\nprecision tf32\n\ninput q: f32[16, 8192, 64]\ninput k: f32[16, 8192, 64]\ninput a: "
      "f32[4096, 4096]\n"
      "input b: f32[4096, 4096]\ninput u: f32[4096, 1]\ninput v: f32[1, 4096]\nparam V: f32[4096, "
      "4096]\nparam W: f32[4096, 4096]\n\n" +
      steps;
  DiagSink diags;
  const ast::File tree = parse(source, diags);
  const Program program = resolve(catalog, tree, diags);
  for (const Diag& diag : diags.diags()) ADD_FAILURE() << diag.id << ": " << diag.message << "\n" << source;
  return speed_of_light(catalog, program, *catalog.device("h200"), {}).certified.total_us;
}

struct Pair {
  const char* one;
  const char* other;
};

constexpr Pair kPairs[] = {
    {"t = gemm(q, transpose(k))\ns = t * 0.125\ny = gemm(s, q)\nreturn y\n",
     "t = gemm(q, transpose(k))\ny = gemm(t, q)\nreturn y\n"},
    {"t = gemm(q, transpose(k))\ns = -t\nr = s / 8\ny = gemm(r, q)\nreturn y\n",
     "t = gemm(q, transpose(k))\ny = gemm(t, q)\nreturn y\n"},
    {"c = unsqueeze(a, 1)\nd = unsqueeze(b, 0)\np = c * d\ny = sum(p, dim=2)\nreturn y\n",
     "y = gemm(a, transpose(b))\nreturn y\n"},
    {"c = unsqueeze(a, 1)\nd = c - b\np = square(d)\ny = sum(p, dim=2)\nreturn y\n",
     "y = gemm(a, transpose(b))\nreturn y\n"},
    {"s = linear(a, V)\nt = linear(a, W)\ny = s + t\nreturn y\n", "y = linear(a, W)\nreturn y\n"},
    {"o = u * v\ny = gemm(o, b)\nreturn y\n", "t = gemm(v, b)\ny = u * t\nreturn y\n"},
    {"e = expand(v, [512, 4096])\nt = e + 1.0\ny = linear(t, W)\nz = relu(y)\nreturn z\n",
     "e = v + 1.0\nt = linear(e, W)\nr = relu(t)\ne2 = expand(r, [512, 4096])\ny = to(e2, row)\nreturn "
     "y\n"},
};

TEST(SameMeaning, HasTheSameBound) {
  for (const Pair& each : kPairs) {
    const double one = bound_of(each.one);
    const double other = bound_of(each.other);
    EXPECT_GT(other, 1) << each.other;
    EXPECT_NEAR(one, other, other * 0.01) << each.one << "against\n" << each.other;
  }
}

}  // namespace
}  // namespace uc
