// Parameters of a pointwise kernel of more bodies than uck_map has, with fewer views each: as many as 32,760 bytes hold.
// uc_runtime.h lays them out so.
#ifndef UC_MAPS_CUH
#define UC_MAPS_CUH
#include "uc_kernel_args.h"

template <int Bodies, int Views> struct uck_maps {
  struct {
    int64_t vectors;
    int64_t shape[UC_MAX_RANK];
    uck_view view[Views];
  } body[Bodies];
};
#endif
