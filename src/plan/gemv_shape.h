#pragma once
// Why: how a contraction with few rows or columns is read decides whether there is a kernel for it, what that
// looks like and how long it takes; back end, emitter and model ask the same questions.
#include "ir/kernel.h"

namespace uc {

struct GemvShape {
  static constexpr int64_t kMostShort =
      8;  ///< rows or columns of the short side, whose sums stay in registers
  static constexpr int64_t kMostSums = 64;  ///< a thread, for the same reason
  static constexpr int64_t kTile = 64;      ///< of K: kTile of uc_gemv_host.h

  explicit GemvShape(const Contraction& kernel);

  bool long_is_a = false;  ///< the operand with more lines
  bool along_k = false;    ///< it is contiguous along K, else along its lines
  bool unit = false;       ///< it is one of both
  int64_t lines = 0, shorts = 0;
  int64_t vector = 1;         ///< its elements that can be read at once
  int64_t thread_lines = 1;   ///< of them a thread has
  int64_t thread_shorts = 1;  ///< lines of the other operand, rounded up to a power of two
  bool short_vector = false;  ///< `vector` elements of the other operand can be read at once
  /// Blocks that multiply `slices` slices of K, as uc_gemv_host.h launches them.
  int64_t blocks(const Contraction& kernel, int64_t slices) const;
};

}  // namespace uc
