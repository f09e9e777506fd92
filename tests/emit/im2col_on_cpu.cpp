// Tiles of images that TMA reads window by window, on the CPU: what the PTX manual says of im2col mode
// ("Tensor im2col mode": bounding box, traversal strides, offsets) is walked with the numbers that kernels
// give, and the products of all tiles are held against loops over the definition.
#include "conv_problem.h"
#include "uc_im2col_shape.h"

namespace {

// `pixels` x `channels` elements from `start` on, shifted by a tap; outside of the image zeros.
template <int Rank, class Walk>
void read_tile(const uc_im2col_box<Rank>& box, const float* data, const typename Walk::Start& start,
               const typename Walk::Tap& tap, int pixels, int channels, std::vector<float>& into) {
  int at[Rank], image = start.image;  // the last dimension first, as the box has them
  for (int i = 0; i < Rank; ++i) at[i] = start.at[Rank - 1 - i];
  for (int pixel = 0; pixel < pixels; ++pixel) {
    bool inside = image < int(box.shape[1 + Rank]);
    int64_t offset = int64_t(image) * int64_t(box.stride[Rank] / sizeof(float));
    for (int i = 0; i < Rank; ++i) {
      const int place = at[i] + tap.offset[Rank - 1 - i];
      inside = inside && place >= 0 && place < int(box.shape[1 + i]);
      offset += place * int64_t(box.stride[i] / sizeof(float));
    }
    for (int c = 0; c < channels; ++c) {
      const int channel = tap.channel + c;
      into.push_back(inside && channel < int(box.shape[0]) ? data[offset + channel] : 0.0f);
    }
    int i = 0;
    for (; i < Rank; ++i) {
      at[i] += int(box.step[1 + i]);
      if (at[i] <= int(box.shape[1 + i]) - 1 + box.upper[i]) break;
      at[i] = box.lower[i];
    }
    if (i == Rank) ++image;
  }
}

// Every class of results, with the taps that the walk gives it; results are found pixel by pixel.
template <int Rank, bool Transposed = false>
void check(const Problem& problem, const char* kernel) {
  using Walk = uc_im2col_walk<Rank, Transposed>;
  constexpr int kRows = 16, kDepth = 4;
  Tensors<float> tensors(problem);
  const uck_conv& c = problem.conv;
  uc_im2col_image image{tensors.gemm.a.data, {}, c};
  for (int i = 0; i < 5; ++i) image.stride[i] = tensors.gemm.a.stride[i];
  const auto box = uc_im2col_box_of<Rank>(image, sizeof(float), Transposed);
  const auto walk = Walk::of(c, kDepth);
  const auto places = uc_pixel_walk<Rank, Transposed>::of(c);
  int64_t pixels = c.images, k = c.channels, filters_k = c.channels, classes = 1;
  for (const uck_window& each : c.window) {
    pixels *= uc_class_results(each, Transposed);
    k *= uc_most_taps(each, Transposed);
    filters_k *= each.filter;
    classes *= uc_classes(each, Transposed);
  }
  // Filters as the kernel has them: a row for each result, K contiguous.
  const uck_view& b = tensors.gemm.b;
  const auto filter = [&](int64_t n, int64_t at) {
    if (at >= filters_k) return 0.0f;
    const float* data = static_cast<const float*>(b.data);
    return data[n * b.stride[0] + at];
  };
  for (int64_t number = 0; number < classes; ++number) {
    const auto taps = walk.class_of(int(number));
    for (int64_t first = 0; first < pixels; first += kRows) {
      std::vector<double> sums(kRows * c.results, 0);
      for (int tile = 0; tile * kDepth < k; ++tile) {
        std::vector<float> a;
        const auto tap = walk.tap(taps, tile);
        read_tile<Rank, Walk>(box, tensors.x.data(), walk.start(int(first)), tap, kRows, kDepth, a);
        for (int row = 0; row < kRows; ++row)
          for (int64_t n = 0; n < c.results; ++n)
            for (int i = 0; i < kDepth; ++i)
              sums[row * c.results + n] += a[row * kDepth + i] * filter(n, int64_t(tap.filter) * kDepth + i);
      }
      for (int row = 0; row < kRows; ++row) {
        const auto at = places.at(int(number), int(first) + row);
        if (!at.inside) continue;
        int place[3] = {0, 0, 0};
        for (int d = 0; d < Rank; ++d) place[3 - Rank + d] = at.at[d];
        for (int64_t n = 0; n < c.results; ++n)
          Expression::at(float(sums[row * c.results + n]), tensors.bias[n],
                         tensors.residual[Tensors<float>::index(tensors.gemm.view[1], at.image, place, n)],
                         tensors.out[Tensors<float>::index(tensors.gemm.view[2], at.image, place, n)]);
      }
    }
  }
  tensors.check(kernel);
}

}  // namespace

int main() {
  check<2>({"conv2d", {2, 8, 5, 1, {kNone, window(9, 3, 1, 1, 1, 1), window(7, 3, 1, 1, 1, 1)}}, false},
           "images");
  check<2>({"conv2d, strides, padding that differs, dilation",
            {3, 4, 6, 1, {kNone, window(11, 3, 2, 2, 1, 2), window(10, 5, 3, 0, 3, 1)}},
            false},
           "images");
  check<2>({"conv1d", {2, 12, 3, 1, {kNone, kNone, window(50, 7, 2, 3, 3, 1)}}, false}, "images");
  check<2>({"conv2d, pixels left over behind the last window",
            {2, 4, 3, 1, {kNone, window(10, 3, 3, 0, 0, 1), window(9, 2, 4, 1, 0, 1)}},
            false},
           "images");
  check<3>({"conv3d",
            {2, 4, 5, 1, {window(4, 3, 1, 1, 1, 1), window(5, 3, 2, 1, 1, 1), window(6, 2, 1, 0, 1, 2)}},
            false},
           "volumes");
  check<2, true>(
      {"conv_transpose2d, stride 2",
       {3, 8, 5, 1, {kNone, transposed_window(5, 4, 2, 1, 1, 0), transposed_window(6, 4, 2, 1, 1, 0)}},
       true},
      "transposed images");
  check<2, true>(
      {"conv_transpose2d, classes without a tap, dilation, results left over",
       {2, 4, 3, 1, {kNone, transposed_window(5, 2, 3, 0, 2, 1), transposed_window(6, 3, 2, 2, 2, 1)}},
       true},
      "transposed images");
  check<2, true>(
      {"conv_transpose1d, stride 1", {2, 4, 3, 1, {kNone, kNone, transposed_window(9, 3, 1, 1, 1, 0)}}, true},
      "transposed images");
  check<3, true>({"conv_transpose3d",
                  {2,
                   4,
                   5,
                   1,
                   {transposed_window(3, 3, 2, 1, 1, 1), transposed_window(4, 4, 2, 1, 1, 0),
                    transposed_window(3, 2, 2, 0, 1, 0)}},
                  true},
                 "transposed volumes");
  printf(failures == 0 ? "all right\n" : "%d are wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
