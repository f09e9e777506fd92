#pragma once
// Why: how a pointwise launch goes over memory is asked by the rules, the model and the emitter alike: which
// dimensions are one, how wide accesses are, and which tensors are turned in shared memory because they are
// contiguous along another dimension than the result.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel.h"

namespace uc {

/// Threads a block when the knob is automatic.
inline constexpr int64_t kMapThreads = 256;
/// Bytes that a block turns at once: 8 blocks of an SM are 128 KB under way.
inline constexpr int64_t kTurnedBytes = 16384;

/// A block reads a box of `batches` x `rows` x `columns` elements as its sources lie, and writes it as its
/// result lies: rows count along the dimension `across`, columns along the fastest one of the result, batches
/// through all others. Rows and columns end where the domain does.
struct MapTile {
  /// A tensor that is contiguous along `across`.
  struct Turned {
    uint32_t view = 0;
    int64_t vector = 1;  ///< elements that a thread reads at once
    bool flat = false;   ///< all rows of neighbouring columns lie densely, and are read as if they were one
    int64_t cell = 1;    ///< columns that a thread reads, so that it writes whole words
    int64_t start = 0;   ///< bytes into shared memory
  };
  size_t across = 0;
  int64_t batches = 1, rows = 1, columns = 1;
  bool flat = false;  ///< all columns of neighbouring rows lie densely, and are written as if they were one
  std::vector<Turned> turned;
  int64_t shared_bytes = 0;
  const Turned* of(uint32_t view) const;
};

/// A body with dimensions merged where every view allows it, and the vector width that its views allow.
struct CollapsedBody {
  /// Where a dimension of the domain went: its coordinate is (x[dim] / inner) % its extent.
  struct Place {
    size_t dim = 0;
    int64_t inner = 1;
  };
  Shape shape;                  ///< as the result lies in memory, outermost first; at least one dimension
  std::vector<Strides> stride;  ///< a view, for `shape`
  std::vector<Place> place;     ///< of each dimension of the domain
  int64_t vector = 1;           ///< elements a thread handles at once
  std::optional<MapTile> tile;  ///< how what lies otherwise than the result is turned
};

/// `vector` 0: as wide as 16 bytes of the widest type allows; otherwise at most that.
CollapsedBody collapse(const Map::Body& body, int64_t vector);

/// How elements along the result's fastest dimension lie in a view.
enum class MapAccess : uint8_t { vector, broadcast, strided };
MapAccess map_access(const CollapsedBody& body, size_t view);

/// Blocks of the launch that the body needs; the other bodies' ones idle.
int64_t map_blocks(const CollapsedBody& body, int64_t threads);

/// Bytes of memory traffic that an element of the view costs beyond its own size, as a factor: 1 where whole
/// sectors are used.
double map_waste(const CollapsedBody& body, const Map::Body& map, size_t view);

/// "turned 64 x 64": for people; empty without a tile.
std::string tile_text(const CollapsedBody& body);

}  // namespace uc
