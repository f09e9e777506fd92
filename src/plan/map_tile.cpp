#include "plan/map_tile.h"

#include <algorithm>
#include <array>

namespace uc {
namespace {

constexpr int64_t kWord = 4;     // bytes of a bank of shared memory
constexpr int64_t kSector = 32;  // bytes that memory is read in
constexpr int64_t kLine = 128;
constexpr int64_t kMostShared = 48 * 1024;  // static shared memory of a block
constexpr int64_t kFewTiles = 4;  // so many along an extent are made equally large; more leave little over

int64_t up_to(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// The part of an extent that a block has: whole lines of memory where the extent is that, else whole sectors.
int64_t part_of(int64_t extent, int64_t target, int64_t size, int64_t least = 1) {
  if (extent <= target) return extent;
  int64_t multiple = std::max(least, (extent * size % kLine == 0 ? kLine : kSector) / size);
  if (multiple > target) multiple = std::max(least, kSector / size);
  if (multiple > target) multiple = least;
  const int64_t parts = (extent + target - 1) / target;
  if (parts > kFewTiles) return std::max(multiple, target / multiple * multiple);
  return std::min(extent, up_to((extent + parts - 1) / parts, multiple));
}

// Columns in words of shared memory, an odd number of them, so that rows start in different banks.
int64_t pitch(int64_t columns, int64_t size) {
  const int64_t unit = std::max<int64_t>(1, kWord / size);
  return ((columns + unit - 1) / unit | 1) * unit;
}

// Whether vectors of `width` start at their own multiples along everything but `without`.
bool aligned(const View& view, const Strides& stride, int64_t width, std::initializer_list<size_t> without) {
  if (view.offset % width != 0) return false;
  for (size_t d = 0; d < stride.size(); ++d) {
    if (std::ranges::find(without, d) == without.end() && stride[d] % width != 0) return false;
  }
  return true;
}

class TileMaker {
 public:
  TileMaker(const Map::Body& map, CollapsedBody& body)
      : map_(map),
        body_(body),
        tile_(*body.tile),
        last_(body.shape.size() - 1),
        rows_(body.shape[tile_.across]),
        columns_(body.shape.back()) {}

  bool run(int64_t widest) {
    int64_t size = 0;
    for (const MapTile::Turned& each : tile_.turned) size += bytes(each.view);
    for (int64_t budget = kTurnedBytes / size;; budget /= 2) {
      box(std::max<int64_t>(budget, 1), widest);
      for (MapTile::Turned& each : tile_.turned) widths(each);
      place();
      if (tile_.shared_bytes <= kMostShared || budget <= 1) break;
    }
    flat_stores(widest);
    return tile_.shared_bytes <= kMostShared;
  }

 private:
  int64_t bytes(uint32_t view) const { return size_bytes(map_.scalar.views[view].dtype); }

  // Two lines of rows by a line or two of columns, up to `most` elements where one of them is short. What is
  // odd and not long is one piece, so that vectors may go on into what lies behind it.
  void box(int64_t most, int64_t widest) {
    int64_t size = 1;
    for (const MapTile::Turned& each : tile_.turned) size = std::max(size, bytes(each.view));
    const int64_t whole = most / 32;
    int64_t columns = size == 1 ? 128 : size == 2 ? 64 : 32;
    int64_t rows = size == 1 ? 128 : size == 8 ? 32 : 64;
    while (columns > 1 && rows * columns > most) (rows > columns ? rows : columns) /= 2;
    const bool one = body_.vector < widest && columns_ <= whole;
    tile_.columns = one ? columns_ : part_of(columns_, columns, size, body_.vector);
    tile_.rows = part_of(rows_, tile_.columns == columns_ ? std::max(rows, most / columns_) : rows, size);
    if (rows_ * size % 16 != 0 && rows_ <= whole && tile_.columns < columns_) tile_.rows = rows_;
    if (tile_.columns < columns_ && tile_.rows == rows_)
      tile_.columns = part_of(columns_, std::max(columns, most / rows_), size, body_.vector);
    tile_.batches = 1;
    if (tile_.rows == rows_ && tile_.columns == columns_ && body_.shape.size() > 2)
      tile_.batches = std::max<int64_t>(1, most / (rows_ * columns_));
  }

  // The widest reads, row by row or through all rows of neighbouring columns.
  void widths(MapTile::Turned& each) const {
    const View& view = map_.scalar.views[each.view];
    const Strides& stride = body_.stride[each.view];
    const bool dense = tile_.rows == rows_ && stride[last_] == rows_;
    int64_t wide = 16 / bytes(each.view);
    int64_t flat = wide;
    while (wide > 1 &&
           (rows_ % wide != 0 || tile_.rows % wide != 0 || !aligned(view, stride, wide, {tile_.across})))
      wide /= 2;
    const int64_t box = tile_.rows * tile_.columns;
    while (flat > 1 && (!dense || rows_ * columns_ % flat != 0 || box % flat != 0 ||
                        !aligned(view, stride, flat, {tile_.across, last_})))
      flat /= 2;
    each.flat = flat > wide;
    each.vector = each.flat ? flat : wide;
    each.cell = each.flat ? 1 : std::max<int64_t>(1, kWord / bytes(each.view));
    if (tile_.columns < each.cell) each.cell = 1;
  }

  void place() {
    tile_.shared_bytes = 0;
    for (MapTile::Turned& each : tile_.turned) {
      each.start = tile_.shared_bytes;
      const int64_t size = bytes(each.view);
      tile_.shared_bytes += up_to(tile_.batches * tile_.rows * pitch(tile_.columns, size) * size, 16);
    }
  }

  // Where a row is short or odd, vectors go on into the next one: all that is written must lie so.
  void flat_stores(int64_t widest) {
    if (tile_.columns != columns_) return;
    int64_t flat = widest;
    while (flat > 1 && !stores_flat(flat)) flat /= 2;
    tile_.flat = flat > body_.vector || (flat == 1 && body_.vector == 1 && stores_flat(1));
    if (tile_.flat) body_.vector = flat;
  }

  bool stores_flat(int64_t width) const {
    if (rows_ * columns_ % width != 0 || tile_.rows * tile_.columns % width != 0) return false;
    return std::ranges::all_of(map_.scalar.effects, [&](const Effect& effect) {
      return lies_flat(map_, body_, effect.view, width);
    });
  }

  const Map::Body& map_;
  CollapsedBody& body_;
  MapTile& tile_;
  size_t last_;
  int64_t rows_, columns_;
};

}  // namespace

std::optional<MapTile> turned_views(const Map::Body& body, const CollapsedBody& shape) {
  const size_t last = shape.shape.size() - 1;
  if (last == 0 || body.scalar.effects.empty() || shape.stride[body.scalar.effects.back().view][last] != 1)
    return std::nullopt;
  MapTile out;
  int64_t most = 0;
  const auto stored = [&](size_t view) {
    return std::ranges::any_of(body.scalar.effects, [view](const Effect& each) { return each.view == view; });
  };
  const auto candidate = [&](size_t view, size_t d) {
    return !stored(view) && shape.stride[view][d] == 1 && std::abs(shape.stride[view][last]) > 1;
  };
  for (size_t d = 0; d < last; ++d) {  // the dimension along which most bytes lie
    int64_t bytes = 0;
    for (size_t v = 0; v < shape.stride.size(); ++v)
      bytes += candidate(v, d) ? size_bytes(body.scalar.views[v].dtype) : 0;
    if (bytes <= most) continue;
    most = bytes;
    out.across = d;
  }
  if (most == 0) return std::nullopt;
  for (size_t v = 0; v < shape.stride.size(); ++v) {
    if (candidate(v, out.across)) out.turned.push_back({static_cast<uint32_t>(v)});
  }
  return out;
}

bool lies_flat(const Map::Body& map, const CollapsedBody& body, size_t view, int64_t width) {
  const size_t last = body.shape.size() - 1;
  const size_t across = body.tile->across;
  const Strides& stride = body.stride[view];
  const int64_t unit = std::min<int64_t>(width, 16 / size_bytes(map.scalar.views[view].dtype));
  return stride[last] == 1 && stride[across] == body.shape[last] &&
         aligned(map.scalar.views[view], stride, unit, {across, last});
}

bool set_tile(const Map::Body& map, int64_t widest, CollapsedBody& body) {
  return TileMaker(map, body).run(widest);
}

}  // namespace uc
