// Direct convolutions on the CPU, all threads of them, against loops over the definition.
#include "conv_problem.h"
#include "uc_conv_direct_host.h"

namespace {

// W: channels of the result that are moved at once; the bias and the residual one by one.
template <int V, int W>
using Ends =
    uc_direct::Epilogue<Expression, V,
                        uc_direct::List<uc_direct::Tensor<0, float, 1>, uc_direct::Tensor<1, float, W>>,
                        uc_direct::List<uc_direct::Tensor<2, float, W>>>;

// The same filters with those of neighbouring channels together: [taps, K] of a depthwise problem.
template <class T>
void turn_filters(Tensors<T>& tensors, std::vector<T>& turned) {
  uck_view& b = tensors.gemm.b;
  const int64_t results = tensors.p.conv.groups, taps = int64_t(tensors.w.size()) / results;
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t k = 0; k < results; ++k) turned.push_back(tensors.w[k * taps + tap]);
  b.data = turned.data();
  for (int d = 1; d < 4; ++d) b.stride[d] *= results;
  b.stride[0] = 1;
}

template <class Kernel, bool Transposed, class T>
void check(const Problem& problem, const char* kernel, bool turn = false) {
  Tensors<T> tensors(problem);
  std::vector<T> turned;
  const uck_view filters = tensors.gemm.b;
  if (turn) turn_filters(tensors, turned);
  uck_geometry geometry{};
  typename Kernel::Params params{};
  expect(uc_direct::prepare<Kernel, Transposed, 3>(&tensors.gemm, &params, &geometry) == 0, "prepared", 0);
  // Fewer blocks than there are turns, so that threads take several.
  const int blocks = geometry.grid[0] > 2 ? int(geometry.grid[0]) - 1 : 1;
  for (int image = 0; image < 2; ++image)
    for (int block = 0; block < blocks; ++block)
      for (int thread = 0; thread < uc_direct::kThreads; ++thread)
        Kernel::run(params, block, blocks, thread, image, 2);
  tensors.gemm.b = filters;
  tensors.check(kernel);
}

template <class T, bool Transposed, bool First>
void check_general(const Problem& problem) {
  check<uc_direct::General<T, float, Transposed, First, 3, Ends<1, 1>>, Transposed, T>(problem, "general");
}
// WX, WW: of the input and of filters.
template <class T, int V, int W, int P, int WX, int WW, int F0, int F1, int F2, int S, int D, bool First>
void check_tiled(const Problem& problem) {
  check<uc_direct::Tiled<T, float, V, P, WX, WW, F0, F1, F2, S, D, First, 3, Ends<V, W>>, false, T>(
      problem, "tiled", V > 1 && WW == V);
}

void check_depthwise() {
  const Problem last{"depthwise, channels last",
                     {3, 1, 1, 24, {kNone, window(9, 3, 1, 1, 1, 1), window(7, 3, 1, 1, 1, 1)}},
                     false};
  check_tiled<__half, 8, 8, 4, 8, 1, 1, 3, 3, 1, 1, false>(last);
  check_tiled<__half, 8, 8, 4, 8, 8, 1, 3, 3, 1, 1, false>(last);
  check_tiled<__half, 4, 4, 3, 1, 4, 1, 3, 3, 1, 1, false>(last);
  check_tiled<float, 4, 4, 2, 4, 4, 1, 3, 3, 1, 1, false>(last);
  check_tiled<float, 4, 4, 2, 4, 1, 1, 3, 3, 1, 1, false>(last);
  check_tiled<float, 4, 1, 1, 4, 1, 1, 3, 3, 1, 1, false>(last);
  check_general<float, false, false>(last);
  const Problem wide{"depthwise, stride 2, dilation 2, filter 3 x 5",
                     {2, 1, 1, 16, {kNone, window(14, 3, 2, 2, 2, 2), window(11, 5, 2, 2, 1, 1)}},
                     false};
  check_tiled<__half, 8, 8, 4, 8, 1, 1, 3, 5, 2, 2, false>(wide);
  check_tiled<__half, 8, 8, 4, 8, 8, 1, 3, 5, 2, 2, false>(wide);
  Problem first{"depthwise, channels first",
                {2, 1, 1, 6, {kNone, window(10, 5, 1, 2, 2, 1), window(13, 3, 2, 1, 0, 1)}},
                false,
                false};
  check_tiled<float, 1, 1, 4, 1, 1, 1, 5, 3, 1, 1, true>(first);
  check_general<float, false, true>(first);
  const Problem line{"depthwise line", {2, 1, 1, 5, {kNone, kNone, window(40, 7, 3, 3, 2, 2)}}, false, false};
  check_tiled<float, 1, 1, 1, 1, 1, 1, 1, 7, 1, 1, true>(line);
  const Problem more{"two results a channel",
                     {2, 1, 2, 4, {kNone, window(6, 3, 1, 1, 1, 1), window(5, 3, 1, 1, 1, 1)}},
                     false};
  check_tiled<float, 1, 1, 2, 1, 1, 1, 3, 3, 1, 1, false>(more);
}

void check_others() {
  const Problem few{"three channels, channels first",
                    {2, 3, 8, 1, {kNone, window(9, 3, 2, 1, 1, 1), window(8, 3, 2, 1, 1, 1)}},
                    false,
                    false};
  check_tiled<float, 1, 1, 4, 1, 1, 1, 3, 3, 2, 1, true>(few);
  check_general<float, false, true>(few);
  const Problem volume{
      "a volume in two groups",
      {2, 3, 4, 2, {window(4, 2, 1, 1, 0, 1), window(5, 3, 2, 1, 1, 1), window(6, 3, 1, 0, 0, 2)}},
      false};
  check_tiled<float, 1, 1, 2, 1, 1, 2, 3, 3, 2, 1, false>(volume);
  check_general<__half, false, false>(volume);
  const Problem transposed{
      "conv_transpose2d",
      {2, 5, 4, 2, {kNone, transposed_window(5, 3, 2, 1, 1, 1), transposed_window(6, 2, 3, 0, 2, 1)}},
      true};
  check_general<float, true, false>(transposed);
  const Problem planes{"conv_transpose3d, channels first",
                       {1,
                        2,
                        3,
                        1,
                        {transposed_window(3, 3, 2, 1, 1, 1), transposed_window(3, 2, 1, 0, 1, 0),
                         transposed_window(4, 4, 2, 1, 1, 0)}},
                       true,
                       false};
  check_general<float, true, true>(planes);
}

}  // namespace

int main() {
  check_depthwise();
  check_others();
  printf(failures == 0 ? "all right\n" : "%d are wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
