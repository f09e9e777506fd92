#pragma once
// Why: arrays come and go as .npy files (numpy's format, https://numpy.org/neps/nep-0001-npy-format.html):
// inputs of `ucutlass run`, captures, test data. Files are read as bytes; nothing in them is trusted.
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/host_tensor.h"

namespace uc {

/// The tensor in the bytes of a .npy file, versions 1 to 3, C or Fortran order. bf16 and f8 have no numpy
/// type: they are stored as raw bytes ("|V2", "|V1") or unsigned integers, and read when `as` names them.
/// Errors: not a .npy file, a type that the language has not, big-endian data, truncated or surplus data.
Result<HostTensor> read_npy(std::string_view bytes, std::optional<DType> as = std::nullopt);

/// A version 1.0 .npy file in C order.
std::string write_npy(const HostTensor& tensor);

}  // namespace uc
