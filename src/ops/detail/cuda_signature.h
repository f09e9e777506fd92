#pragma once
// Why: the source of an escape is checked where it meets the program: the name of its kernel and its
// parameters. What is inside is the compiler's affair.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.h"

namespace uc::ops {

struct CudaParameter {
  std::string type;  ///< without const, * and restrict: "unsigned char"
  std::string name;
  size_t pointers = 0;
  bool is_const = false;  ///< of what it points to
  size_t at = 0;          ///< bytes from the begin of the source
};

struct CudaSignature {
  std::string name;
  std::vector<CudaParameter> parameters;
  size_t at = 0;        ///< of the name
  std::string problem;  ///< why there is no signature; empty when there is one
};

/// The one `extern "C" __global__ void NAME(...)` of a source; comments and strings are not looked into.
CudaSignature parse_cuda_signature(std::string_view source);

/// C++ spellings of an element type as a kernel's parameter, the first one to propose.
std::vector<std::string_view> cuda_spellings(DType type);

}  // namespace uc::ops
