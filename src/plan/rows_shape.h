#pragma once
// Why: which threads read which elements of which rows: asked by the rules, the model and the emitter alike.
#include <vector>

#include "ir/kernel.h"

namespace uc {

inline constexpr int64_t kRowsThreads = 256;  ///< of a block, unless said
inline constexpr int64_t kMostRowsThreads = 1024;
inline constexpr int64_t kMostHeldVectors = 64;  ///< of a thread: the code for each is written out

/// The domain with dimensions merged where every view allows it.
struct RowsShape {
  Shape rows;                   ///< dimensions that tell rows apart, outermost first; at least one
  Shape columns;                ///< those along a row; at least one
  std::vector<Strides> stride;  ///< a view: along `rows`, then along `columns`
  /// Neighbours in memory are elements of different rows: a thread handles several rows at once.
  bool outer = false;
  int64_t count() const { return numel(rows); }
  int64_t length() const { return numel(columns); }
  Shape extents() const;  ///< of both, as `stride` counts them
  /// The dimension along which memory is contiguous, counted among all.
  size_t fast() const { return (outer ? 0 : columns.size()) + rows.size() - 1; }
};
RowsShape rows_shape(const Rows& rows);

/// Some view is under a window: a thread has a result, and goes over its window.
bool rows_windowed(const Rows& rows);

/// Bytes of memory that the elements of a view are in.
double touched_bytes(const View& view);

/// Elements that a thread may handle at once along the fastest dimension: at most `most`, or as many as 16
/// bytes of the narrowest type hold when it is 0.
int64_t rows_vector(const Rows& rows, const RowsShape& shape, int64_t most);

/// How threads are laid out, with every knob resolved.
struct RowsLayout {
  int64_t vector = 1;
  int64_t team = 1;     ///< threads of a block that share a row
  int64_t lanes = 1;    ///< such teams of a block
  int64_t items = 0;    ///< vectors that a thread keeps in registers; 0: rows are streamed
  int64_t cluster = 1;  ///< blocks that share a row through distributed shared memory
  int64_t split = 1;    ///< blocks that share a row through scratch memory
  bool online = true;   ///< pairs of stages are one
  int64_t threads() const { return team * lanes; }
  int64_t rows_per_block(bool outer) const { return lanes * (outer ? vector : 1); }
};
RowsLayout rows_layout(const Rows& rows, const RowsShape& shape, const RowsConfig& config);

/// 32-bit registers that a thread needs to keep its part of a row.
int64_t held_registers(const Rows& rows, const RowsShape& shape, const RowsLayout& layout);
/// What is left for that of a thread's share of the register file.
int64_t free_registers(int64_t threads);

/// Bytes of scratch memory that parts of rows meet in: as many for each row, a multiple of 16.
int64_t rows_scratch(const Rows& rows, const RowsShape& shape, const RowsLayout& layout);
/// Shared memory of a block, bytes: at least what the kernel asks for.
int64_t rows_shared(const Rows& rows, const RowsShape& shape, const RowsLayout& layout);

}  // namespace uc
