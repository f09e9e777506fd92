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
      "4096]\nparam W: f32[4096, 4096]\ninput image: f32[64, 256, 56, 56]\nparam C: f32[512, 256, 1, 1]\n"
      "param D: f32[256, 512, 1, 1]\nparam E: f32[256, 256, 1, 1]\nparam F: f32[256, 512, 3, 3]\n"
      "param G: f32[256, 256, 3, 3]\nparam shift: f32[512, 1, 1]\ninput tri: f32[8192, 8192] @lower\n"
      "input rest: f32[8192, 4096]\n\n" +
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
    // Pointwise convolutions in a row are one, whatever is added in between.
    {"t = conv2d(image, C)\ny = conv2d(t, D)\nreturn y\n", "y = conv2d(image, E)\nreturn y\n"},
    {"t = conv2d(image, C)\nu2 = t + shift\nw = u2 * 0.5\ny = conv2d(w, D)\nreturn y\n",
     "y = conv2d(image, E)\nreturn y\n"},
    {"t = conv2d(image, C)\ny = conv2d(t, F, padding=1)\nreturn y\n",
     "y = conv2d(image, G, padding=1)\nreturn y\n"},
    // What follows is linear in the mean of the weights.
    {"o = attention(q, k, k)\ny = mean(o, dim=1)\nreturn y\n",
     "t = gemm(q, transpose(k))\nc = t * 0.125\np2 = softmax(c)\nm = mean(p2, dim=1, keepdim=true)\n"
     "y = gemm(m, k)\nreturn y\n"},
    // Rows of a triangle: the first 2048 have 2048 columns.
    {"t = gemm(tri, rest)\ny = slice(t, 0, start=0, end=2048)\ny2 = to(y, row)\nreturn y2\n",
     "h = slice(tri, 0, start=0, end=2048)\ng = slice(h, 1, start=0, end=2048)\nr = slice(rest, 0, start=0, "
     "end=2048)\n"
     "y = gemm(g, r)\nreturn y\n"},
    {"h = slice(tri, 0, start=0, end=2048)\ny = gemm(h, rest)\nreturn y\n",
     "h = slice(tri, 0, start=0, end=2048)\ng = slice(h, 1, start=0, end=2048)\nr = slice(rest, 0, start=0, "
     "end=2048)\n"
     "y = gemm(g, r)\nreturn y\n"},
    // A product that two others read need not be made, and of a chain a few rows need no more than
    // themselves.
    {"t = gemm(a, b)\nc = gemm(t, transpose(v))\nd = gemm(t, u)\ny = c + d\nreturn y\n",
     "w = u + transpose(v)\nt = gemm(b, w)\ny = gemm(a, t)\nreturn y\n"},
    {"t = gemm(b, W)\nw = gemm(a, t)\ny = slice(w, 0, start=0, end=1024)\ny2 = to(y, row)\nreturn y2\n",
     "r = slice(a, 0, start=0, end=1024)\nt = gemm(r, b)\ny = gemm(t, W)\nreturn y\n"},
};

TEST(SameMeaning, HasTheSameBound) {
  for (const Pair& each : kPairs) {
    const double one = bound_of(each.one);
    const double other = bound_of(each.other);
    EXPECT_GT(other, 1) << each.other;
    EXPECT_NEAR(one, other, other * 0.01) << each.one << "against\n" << each.other;
  }
}

// A triangle of a product has all of its rows and columns: (a W') b is a product of 2 x 4096^3 at 535.27
// TFLOP/s and half of another one.
TEST(SameMeaning, OfATriangleAllRowsAndColumnsAreNeeded) {
  EXPECT_NEAR(bound_of("x = linear(a, W)\nt = gemm(x, b)\ny = tril(t)\nreturn y\n"), 1.5 * 256.77, 0.2);
}

}  // namespace
}  // namespace uc
