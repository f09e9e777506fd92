// Convolutions on CUTLASS 2, on the CPU: for small problems the parameters that the host half prepares, what
// the iterators of every thread read for every tile of K, and where the epilogue writes, against loops over
// the definition. CUTLASS's own parts (shared memory, instructions) are left out: products are added up
// here. Built by cutlass2_on_cpu.sh, since it needs CUTLASS.
#include "uc_host_shim.h"
// Before all headers of CUTLASS.
#define UC_HOST_HALF
#include "conv_problem.h"
#include "emulate_conv2.h"
#include "uc_conv2_host.h"

namespace {

using RowMajor = cutlass::layout::RowMajor;
using TensorOp = cutlass::arch::OpClassTensorOp;
using Simt = cutlass::arch::OpClassSimt;
template <int M, int N, int K>
using Shape = cutlass::gemm::GemmShape<M, N, K>;

// `Align`: elements of an access to both operands; `V`: of the result that a thread handles at once.
template <class T, class Unit, class Tile, class Warp, class Instruction, int Stages, int Align,
          class Exchanged, int V>
using Base = typename cutlass::gemm::kernel::DefaultGemm<
    T, RowMajor, Align, T, cutlass::layout::ColumnMajor, Align, Exchanged, RowMajor, float, Unit,
    cutlass::arch::Sm80, Tile, Warp, Instruction,
    cutlass::epilogue::thread::LinearCombination<Exchanged, V, float, float>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, Stages, false,
    cutlass::arch::OpMultiplyAdd>::GemmKernel;

// ---- kernels

// W: how many elements the result and the residual are moved at once; Along of the bias and of the residual
// follow from which operand comes first.
template <class Base, int Rank, bool Transposed, bool Exchanged, bool Linear, bool InParts, int W>
void check(const Problem& problem, const char* kernel) {
  using Iterator = typename Base::Epilogue::OutputTileIterator;
  using Where = std::conditional_t<Linear, uc2::Matrix, uc2::Pixelwise<Rank, Transposed, Exchanged>>;
  constexpr uc2::Along kChannels = Exchanged ? uc2::Along::m : uc2::Along::n;
  using Loads = uc2::List<uc2::Load<0, float, kChannels, 1>, uc2::Load<1, float, uc2::Along::both, 1>>;
  using Stores = uc2::List<uc2::Store<2, float, W>>;
  using Visitor = std::conditional_t<
      InParts, uc2::Visitor<Iterator, uc2::Sum<float>, 1, uc2::List<>, uc2::List<uc2::Store<0, float, 1>>>,
      uc2::Visitor<Iterator, Expression, 3, Loads, Stores, Where>>;
  using Kernel = uc2::Conv<Base, Visitor, Rank, Transposed, Exchanged, InParts>;
  Tensors<typename Kernel::Element> tensors(problem);
  std::vector<float> scratch(size_t(uc2::conv_scratch_bytes<float, Rank, Transposed>(&tensors.gemm) / 4),
                             -9.0f);
  tensors.gemm.scratch = scratch.data();
  uck_geometry geometry{};
  std::vector<typename Kernel::Params> params(1);
  expect(uc2::prepare_conv<Kernel>(&tensors.gemm, params.data(), &geometry) == 0, "prepared", 0);
  for (unsigned block = 0; block < geometry.grid[0]; ++block)
    emulate::compute<Kernel, Visitor, Iterator>(params[0], int(block));
  if constexpr (InParts) {
    using Reduction = uc2::Reduction<float, Expression, 3, Loads, Stores, Where>;
    std::vector<typename Reduction::Params> sum(1);
    uc2::prepare_conv_reduction<Kernel, Reduction>(&tensors.gemm, sum.data(), &geometry);
    gridDim.x = geometry.grid[0];
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
      for (threadIdx.x = 0; threadIdx.x < unsigned(Reduction::kThreads); ++threadIdx.x)
        Reduction::run(sum[0]);
    blockIdx.x = threadIdx.x = 0;
  }
  tensors.check(kernel);
}

using Half8 =
    Base<cutlass::half_t, TensorOp, Shape<64, 64, 32>, Shape<32, 32, 32>, Shape<16, 8, 16>, 3, 8, float, 4>;
using Half2 =
    Base<cutlass::half_t, TensorOp, Shape<64, 64, 32>, Shape<32, 32, 32>, Shape<16, 8, 16>, 3, 2, float, 4>;
using Half1 =
    Base<cutlass::half_t, TensorOp, Shape<64, 64, 32>, Shape<32, 32, 32>, Shape<16, 8, 16>, 2, 1, float, 4>;
using Single4 = Base<float, TensorOp, Shape<64, 64, 16>, Shape<32, 32, 16>, Shape<16, 8, 8>, 3, 4, float, 4>;
using Single1 = Base<float, TensorOp, Shape<64, 64, 16>, Shape<32, 32, 16>, Shape<16, 8, 8>, 3, 1, float, 4>;
using Units = Base<float, Simt, Shape<128, 64, 8>, Shape<64, 32, 8>, Shape<1, 1, 1>, 4, 1, float, 1>;

// ---- what is tried

void check_plain() {
  const Problem image{"conv2d, stride 2, padding 1 and 2",
                      {2, 16, 24, 1, {kNone, window(9, 3, 2, 1, 2, 1), window(7, 3, 1, 1, 1, 1)}},
                      false};
  check<Half8, 2, false, false, true, false, 4>(image, "f16, aligned to eight");
  check<Half2, 2, false, false, false, false, 4>(image, "f16, aligned to two, pixel by pixel");
  check<Single4, 2, false, true, true, false, 1>(image, "f32, exchanged");
  check<Units, 2, false, false, true, false, 1>(image, "FMA units");
  const Problem odd{"conv2d, three channels, dilation",
                    {3, 3, 10, 1, {kNone, window(11, 3, 1, 2, 2, 2), window(8, 5, 2, 0, 1, 1)}},
                    false};
  check<Half1, 2, false, false, true, false, 1>(odd, "f16, single elements");
  check<Single1, 2, false, false, true, false, 1>(odd, "f32, single elements");
  const Problem groups{
      "conv1d, three groups", {2, 8, 12, 3, {kNone, kNone, window(70, 7, 3, 2, 3, 1)}}, false};
  check<Half8, 1, false, false, true, false, 4>(groups, "f16");
  check<Single4, 1, false, true, false, false, 1>(groups, "f32, exchanged, pixel by pixel");
  const Problem volume{
      "conv3d",
      {2, 8, 8, 1, {window(4, 3, 1, 1, 1, 1), window(5, 3, 2, 1, 1, 1), window(6, 2, 1, 0, 0, 1)}},
      false};
  check<Half8, 3, false, false, true, false, 4>(volume, "f16");
  check<Half8, 3, false, false, true, true, 4>(
      [&] {
        Problem p = volume;
        p.split = 3;
        return p;
      }(),
      "f16, parts of K");
  const Problem planes{"conv2d with channels first",
                       {2, 6, 9, 1, {kNone, window(6, 3, 1, 1, 1, 1), window(8, 3, 1, 1, 1, 1)}},
                       false,
                       false};
  check<Single1, 2, false, false, false, false, 1>(planes, "f32");
  check<Single1, 2, false, true, false, false, 4>(planes, "f32, exchanged, four pixels at once");
}

void check_transposed() {
  const Problem two{
      "conv_transpose2d, stride 2",
      {2, 16, 8, 1, {kNone, transposed_window(5, 3, 2, 1, 1, 1), transposed_window(6, 4, 2, 1, 1, 0)}},
      true};
  check<Half8, 2, true, false, false, false, 4>(two, "f16");
  check<Single4, 2, true, true, false, false, 1>(two, "f32, exchanged");
  check<Half8, 2, true, false, false, true, 4>(
      [&] {
        Problem p = two;
        p.split = 2;
        return p;
      }(),
      "f16, parts of K");
  const Problem wide{
      "conv_transpose2d, stride 3 over filter 2, odd extents, dilation 2",
      {1, 8, 12, 2, {kNone, transposed_window(4, 2, 3, 0, 2, 1), transposed_window(5, 3, 2, 2, 2, 1)}},
      true};
  check<Half8, 2, true, false, false, false, 4>(wide, "f16");
  const Problem line{"conv_transpose1d, stride 1, dilation 3",
                     {2, 8, 8, 1, {kNone, kNone, transposed_window(20, 4, 1, 3, 3, 0)}},
                     true};
  check<Half8, 1, true, false, true, false, 4>(line, "f16, in line");
  const Problem volume{"conv_transpose3d",
                       {1,
                        8,
                        8,
                        2,
                        {transposed_window(3, 3, 2, 1, 1, 1), transposed_window(3, 2, 1, 0, 1, 0),
                         transposed_window(4, 3, 2, 0, 1, 0)}},
                       true};
  check<Half8, 3, true, false, false, false, 4>(volume, "f16");
  const Problem planes{
      "conv_transpose2d with channels first",
      {2, 5, 9, 1, {kNone, transposed_window(5, 3, 2, 1, 1, 1), transposed_window(6, 4, 4, 1, 1, 0)}},
      true,
      false};
  check<Single1, 2, true, true, false, false, 1>(planes, "f32, exchanged");
}

void check_divider() {
  for (const int divisor :
       {1, 2, 3, 5, 7, 8, 9, 27, 100, 127, 1000, 65535, 65537, 1000003, 0x40000001, 0x7fffffff}) {
    const uc_divider by = uc_divider::of(divisor);
    for (int64_t n = 0; n < 0x80000000LL; n += n < 3000 ? 1 : 9999991)
      expect(by.divide(int(n)) == n / divisor, "quotient", n);
    for (int64_t q = 0; q <= 0x7fffffffLL / divisor; q += 1 + 0x7fffffffLL / divisor / 500) {
      for (int64_t n : {q * divisor - 1, q * divisor}) {
        if (n >= 0) expect(by.divide(int(n)) == n / divisor, "quotient near a multiple", n);
      }
    }
  }
}

}  // namespace

int main() {
  check_divider();
  check_plain();
  check_transposed();
  printf(failures == 0 ? "all right\n" : "%d are wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
