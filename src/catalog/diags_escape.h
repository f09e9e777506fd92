#pragma once
// Why: the ids that the escape to CUDA raises, UC129x.
#include <span>

#include "diag/diag.h"

namespace uc::kinds {

inline constexpr DiagKind cuda_signature{
    "UC1290", "cuda-signature", Severity::error,
    "The source of `cuda` has one `extern \"C\" __global__ void` function; its parameters are the inputs "
    "(pointers to const; numbers by value), then the outputs (pointers), of their types."};
inline constexpr DiagKind cuda_launch{
    "UC1291", "cuda-launch", Severity::error,
    "`grid` and `block` have one to three extents: a block of at most 1024 threads (64 along z), a grid of "
    "at "
    "most 2147483647 x 65535 x 65535 blocks; `smem` is at most 232448 bytes."};
inline constexpr DiagKind cuda_compile{"UC1292", "cuda-compile", Severity::error,
                                       "nvcc compiles the source of `cuda` for the target."};

}  // namespace uc::kinds

namespace uc {
/// All of the above, for `explain` and for tests.
std::span<const DiagKind> escape_diag_kinds();
}  // namespace uc
