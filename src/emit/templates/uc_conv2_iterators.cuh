// What CUTLASS 2's main loops read of a convolution's input and filters, as if both were matrices with K contiguous.
#ifndef UC_CONV2_ITERATORS_CUH
#define UC_CONV2_ITERATORS_CUH
#include "cutlass/array.h"
#include "cutlass/cutlass.h"
#include "cutlass/matrix_coord.h"
#include "uc_conv_shape.h"

namespace uc2 {

// A coordinate that is outside of every tensor, also when twice added up.
constexpr int kOutside = -(1 << 30);

// How K runs in one class of results.
template <int Rank>
struct Walk {
  uc_divider channels, taps[Rank];  // taps[0] is not used
  int end;
  struct Point {
    int channel, tap[Rank];
  };
  UC_FN Point at(int k) const {
    Point out;
    int rest = channels.divide(k);
    out.channel = k - rest * channels.divisor;
    CUTLASS_PRAGMA_UNROLL
    for (int d = Rank - 1; d > 0; --d) {
      const int next = taps[d].divide(rest);
      out.tap[d] = rest - next * taps[d].divisor;
      rest = next;
    }
    out.tap[0] = rest;
    return out;
  }
};

// A tensor of images or filters; strides in elements.
template <int Rank>
struct Planes {
  int64_t first, at[Rank], channel;  // from image to image, or filter to filter
  int64_t group;                     // from the channels, or filters, of a group to those of the next
};

// How rows of a class are numbered: image by image, in each row by row.
template <int Rank>
struct Pixels {
  uc_divider results[Rank];
  int images;
  struct Point {
    int image, at[Rank];
  };
  UC_FN Point at(int row) const {
    Point out;
    int rest = row;
    CUTLASS_PRAGMA_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      const int next = results[d].divide(rest);
      out.at[d] = rest - next * results[d].divisor;
      rest = next;
    }
    out.image = rest;
    return out;
  }
};

// What iterators over a class of results are made of.
template <int Rank>
struct Sweep {
  Walk<Rank> walk;
  Pixels<Rank> pixels;
  Planes<Rank> input, filter;
  uc_stretch stretch[Rank];
  int in[Rank], filters;  // extents of the input; filters of a group
};

// Elements of the input that rows (pixels of the result) read at points of K.
template <class Element, int Rank, int Rows>
class InputRows {
 public:
  struct Point {
    int offset, at[Rank];
  };
  UC_FN InputRows(Sweep<Rank> const& sweep, Element const* data) : sweep_(&sweep), data_(data) {}
  UC_FN void row(int r, int number) {
    const auto pixel = sweep_->pixels.at(number);
    int64_t offset = pixel.image * sweep_->input.first;
    CUTLASS_PRAGMA_UNROLL
    for (int d = 0; d < Rank; ++d) {
      at_[r][d] = sweep_->stretch[d].in0 + pixel.at[d] * sweep_->stretch[d].in_step;
      offset += at_[r][d] * sweep_->input.at[d];
    }
    const bool inside = pixel.image < sweep_->pixels.images;
    if (!inside) at_[r][Rank - 1] = kOutside;
    row_[r] = data_ + (inside ? offset : 0);
  }
  UC_FN Point point(int k) const {
    const auto walked = sweep_->walk.at(k);
    Point out;
    out.offset = walked.channel * int(sweep_->input.channel);
    CUTLASS_PRAGMA_UNROLL
    for (int d = 0; d < Rank; ++d) {
      out.at[d] = walked.tap[d] * sweep_->stretch[d].in_tap;
      out.offset += out.at[d] * int(sweep_->input.at[d]);
    }
    if (k >= sweep_->walk.end) out.at[Rank - 1] = kOutside;
    return out;
  }
  UC_FN bool valid(int r, Point const& point) const {
    bool inside = true;
    CUTLASS_PRAGMA_UNROLL
    for (int d = 0; d < Rank; ++d) inside = inside & (unsigned(at_[r][d] + point.at[d]) < unsigned(sweep_->in[d]));
    return inside;
  }
  UC_FN Element const* get(int r, Point const& point) const { return row_[r] + point.offset; }

 private:
  Sweep<Rank> const* sweep_;
  Element const* data_;
  Element const* row_[Rows];
  int at_[Rows][Rank];
};

// Elements of the filters, which are the rows, at points of K.
template <class Element, int Rank, int Rows>
class FilterRows {
 public:
  struct Point {
    int offset;
    bool inside;
  };
  UC_FN FilterRows(Sweep<Rank> const& sweep, Element const* data) : sweep_(&sweep), data_(data) {
    CUTLASS_PRAGMA_UNROLL
    for (int d = 0; d < Rank; ++d) data_ += sweep.stretch[d].filter0 * sweep.filter.at[d];
  }
  UC_FN void row(int r, int number) { row_[r] = number; }
  UC_FN Point point(int k) const {
    const auto walked = sweep_->walk.at(k);
    Point out{walked.channel * int(sweep_->filter.channel), k < sweep_->walk.end};
    CUTLASS_PRAGMA_UNROLL
    for (int d = 0; d < Rank; ++d)
      out.offset += walked.tap[d] * (sweep_->stretch[d].filter_step * int(sweep_->filter.at[d]));
    return out;
  }
  UC_FN bool valid(int r, Point const& point) const { return point.inside & (row_[r] < sweep_->filters); }
  UC_FN Element const* get(int r, Point const& point) const {
    return data_ + row_[r] * sweep_->filter.first + point.offset;
  }

 private:
  Sweep<Rank> const* sweep_;
  Element const* data_;
  int row_[Rows];
};

// Stands where CUTLASS has the iterator `Replaced` over a matrix with K contiguous in its thread map. Behind the last
// tile of K nothing is valid, so there is no mask to clear.
template <class Replaced, int Tile, int Rank, template <class, int, int> class Source>
class AccessIterator {
 public:
  using Element = typename Replaced::Element;
  using ThreadMap = typename Replaced::ThreadMap;
  using AccessType = typename Replaced::AccessType;
  static constexpr int kAccessesPerVector = ThreadMap::kElementsPerAccess / AccessType::kElements;
  using Fragment = cutlass::Array<Element, ThreadMap::Iterations::kCount * ThreadMap::kElementsPerAccess>;

  CUTLASS_DEVICE AccessIterator(Sweep<Rank> const& sweep, Element const* data, int thread, int row, int k)
      : source_(sweep, data) {
    const auto start = ThreadMap::initial_offset(thread);
    k_ = k + start.contiguous();
    CUTLASS_PRAGMA_UNROLL
    for (int r = 0; r < kRows; ++r) source_.row(r, row + start.strided() + r * ThreadMap::Delta::kStrided);
    find_points();
  }

  CUTLASS_DEVICE void set_iteration_index(int index) { index_ = index; }
  CUTLASS_DEVICE AccessIterator& operator++() {
    ++index_;
    return *this;
  }
  CUTLASS_DEVICE AccessType* get() const {
    return reinterpret_cast<AccessType*>(
        const_cast<Element*>(source_.get(index_ / kPoints, point_[index_ % kPoints])));
  }
  CUTLASS_DEVICE bool valid() const { return source_.valid(index_ / kPoints, point_[index_ % kPoints]); }

  CUTLASS_DEVICE void add_tile_offset(cutlass::MatrixCoord const&) { advance(); }
  CUTLASS_DEVICE void advance() {
    k_ += Tile;
    find_points();
  }
  CUTLASS_DEVICE void clear_mask(bool = true) {}

 protected:
  static constexpr int kRows = ThreadMap::Iterations::kStrided;
  static constexpr int kPoints = ThreadMap::Iterations::kContiguous * kAccessesPerVector;

 private:
  CUTLASS_DEVICE void find_points() {
    CUTLASS_PRAGMA_UNROLL
    for (int p = 0; p < kPoints; ++p)
      point_[p] = source_.point(k_ + p / kAccessesPerVector * ThreadMap::Delta::kContiguous +
                                p % kAccessesPerVector * AccessType::kElements);
  }

  Source<Element, Rank, kRows> source_;
  typename Source<Element, Rank, kRows>::Point point_[kPoints];
  int k_;
  int index_ = 0;
};

// The same for loops that take a whole tile into registers.
template <class Access>
class TileIterator : public Access {
 public:
  using Access::Access;
  CUTLASS_DEVICE void load(typename Access::Fragment& fragment) {
    auto* into = reinterpret_cast<typename Access::AccessType*>(&fragment);
    CUTLASS_PRAGMA_UNROLL
    for (int i = 0; i < Access::kRows * Access::kPoints; ++i) {
      this->set_iteration_index(i);
      into[i].clear();
      if (this->valid()) into[i] = *this->get();
    }
  }
  CUTLASS_DEVICE TileIterator& operator++() {
    this->advance();
    return *this;
  }
};

}  // namespace uc2
#endif
